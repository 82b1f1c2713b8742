"""What one question gave, for a program and for a person at a prompt."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from docgraph.model.answer import Answer
from docgraph.model.context import Context, ContextItem
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.model.source_state import SourceState
from docgraph.pipeline.receipt import Receipt, receipt_of
from docgraph.pipeline.retrieval import Retrieval


@dataclass(frozen=True, slots=True, repr=False)
class Result(Retrieval):
    """A Retrieval with its evidence, its text and its receipt.

    How far it goes depends on what was asked for: `search` ends with seeds, `plan` with the plan,
    `retrieve` with the context, `ask` with the answer. What was not made raises BadPipeline.
    `source_states` say whether the sources have moved on; none without the right `ingest`.
    """

    source_states: tuple[SourceState, ...] = field(default=(), compare=False)

    @property
    def evidence(self) -> tuple[ContextItem, ...]:
        """The chunks of the context by number, as they can be cited."""
        return self.context.chunks

    @property
    def text(self) -> str:
        """The answer's text, or the context's where no answer was asked for."""
        return self.answer.text if Answer in self.run.values else self.context.text

    def receipt(self) -> Receipt:
        """What was asked and the digest of all that came of it, for `replay`."""
        return receipt_of(self)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<{', '.join(self._figures())}>"

    def _lines(self) -> Iterator[str]:
        made = self.run.values
        last = made.get(Answer) or made.get(Context)
        if last is not None:
            yield from filter(None, (last.reason, last.text.rstrip("\n")))
        elif RetrievalPlan in made:
            yield from (f"{node}  {self.plan.rule_for(node)}" for node in self.plan.order)
        elif Seeds in made:
            yield from (f"{seed.score:.3f}  {seed.id}" for seed in self.seeds.ranked)

    def _figures(self) -> Iterator[str]:
        """In numbers and names: no text but the question's, no vector."""
        made = self.run.values
        question = made[Question].text if Question in made else self.plan.question
        yield f"Result {question!r}"
        if Seeds in made:
            yield f"seeds {len(self.seeds.ranked)}"
        if RetrievalPlan in made:
            yield f"planned {len(self.plan.order)}"
        if Context in made:
            yield f"evidence {len(self.evidence)}"
            yield f"tokens {self.context.tokens} of {self.context.max_tokens}"
        if Answer in made:
            yield f"answer {self.answer.kind}"
        for name in self.scope.snapshots:
            yield f"{name.repository} {name.branch} {name.snapshot}"
