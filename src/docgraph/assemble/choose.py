"""Which pieces enter the page, in which order they are tried, and what each decision was."""

from collections.abc import Iterator
from dataclasses import dataclass

from docgraph.assemble.render import HEADINGS, WIDEST_NUMBER, concept_block, evidence_block
from docgraph.model.context import Omission
from docgraph.model.evidence import NodeEvidence, Passage, RetrievedContext
from docgraph.model.tokens import TokenCounter

CONCEPT_SHARE = 4  # concepts take at most a quarter of the budget


@dataclass(frozen=True, slots=True)
class Piece:
    """A concept or passage that entered; `place` is where it stands in the plan's order."""

    node: NodeEvidence
    passage: Passage | None
    place: tuple[int, int]
    block: str
    tokens: int
    budget: str

    @property
    def id(self) -> str:
        return self.passage.id if self.passage else self.node.concept.id


def choose(
    evidence: RetrievedContext, tokens: TokenCounter, max_tokens: int
) -> tuple[list[Piece], list[Omission]]:
    """What is too long is left out whole, and shorter pieces after it may still enter."""
    chosen: list[Piece] = []
    omitted = [
        Omission(node.concept.id, "no passage of it was fetched")
        for node in evidence.nodes
        if not node.passages
    ]
    used = tokens.count("".join(HEADINGS))
    for node, passage, place in tried(evidence):
        block = evidence_block(node, passage) if passage else concept_block(node.concept)
        size = tokens.count(WIDEST_NUMBER + block if passage else block)
        limit = max_tokens if passage else max_tokens // CONCEPT_SHARE
        if used + size > limit:
            name = passage.id if passage else node.concept.id
            what = "tokens" if passage else "tokens for concepts"
            omitted.append(Omission(name, f"{size} tokens, {used} of {limit} {what} used"))
            continue
        used += size
        budget = f"{size} tokens, {used} of {max_tokens} used"
        chosen.append(Piece(node, passage, place, block, size, budget))
    return chosen, omitted


def tried(
    evidence: RetrievedContext,
) -> Iterator[tuple[NodeEvidence, Passage | None, tuple[int, int]]]:
    """Concepts, then every node's first passage, then every node's second, and so on."""
    nodes = [(index, node) for index, node in enumerate(evidence.nodes) if node.passages]
    for index, node in nodes:
        yield node, None, (index, 0)
    for turn in range(max((len(node.passages) for _, node in nodes), default=0)):
        for index, node in nodes:
            if turn < len(node.passages):
                yield node, node.passages[turn], (index, turn)
