"""Evidence for other frameworks: the items of a context, each with its provenance as plain JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docgraph.assemble.sanitize import sanitize
from docgraph.interfaces.auth.principals import AskedAs
from docgraph.interfaces.python.docgraph import Docgraph, Steps, Store
from docgraph.interfaces.python.result import Result
from docgraph.model.context import ContextItem
from docgraph.model.digest import plain
from docgraph.model.errors import MissingExtra
from docgraph.model.evidence import RetrievedContext
from docgraph.model.node import repository_of
from docgraph.model.vector import cosine


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """`text` as the context writes it: what reads like a command to a model is made harmless.

    `score` is the cosine of question and passage; None where ids were asked for.
    """

    id: str
    document: str
    text: str
    score: float | None
    start: int
    end: int
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RetrieverOptions:
    """How a framework's retriever asks, whoever asks and whatever is asked."""

    docgraph: Docgraph
    as_: AskedAs = None
    pipeline: Steps = "documents"
    repository: str | None = None
    branch: str | None = None
    snapshot: int | None = None
    max_tokens: int | None = None

    def ask(self, question: str, as_: AskedAs = None) -> list[EvidenceItem]:
        """In the context's order. Who is named here asks in place of who was named before."""
        found = self.docgraph.retrieve(
            question,
            as_=self.as_ if as_ is None else as_,
            pipeline=self.pipeline,
            repository=self.repository,
            branch=self.branch,
            snapshot=self.snapshot,
            max_tokens=self.max_tokens,
        )
        return list(evidence_of(found))


def evidence_of(found: Result) -> Iterator[EvidenceItem]:
    shared = {
        "plan_digest": found.plan.digest,
        "context_digest": found.context.digest,
        "snapshots": plain(found.scope.snapshots),
    }
    similar = {
        passage.id: passage.similarity
        for node in found.run.get(RetrievedContext).nodes
        for passage in node.passages
    }
    for item in found.evidence:
        near = similar[item.id]
        score = None if near is None else cosine(near)
        place = item.location
        yield EvidenceItem(
            id=item.id,
            document=item.document,
            text=sanitize(item.text.strip("\r\n").rstrip()),
            score=score,
            start=place.start,
            end=place.end,
            metadata={**_provenance(item), "similarity": score, **shared},
        )


def _provenance(item: ContextItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "node": item.node,
        "document": item.document,
        "title": item.title,
        "heading_path": list(item.heading_path),
        "source": f"{repository_of(item.document)}:{item.location.cite()}",
        "location": plain(item.location),
        "number": item.number,
        "tokens": item.tokens,
        "why": plain(item.why),
    }


def opened(store: Docgraph | Store | None) -> Docgraph:
    return store if isinstance(store, Docgraph) else Docgraph(store)


def missing(framework: str, extra: str) -> MissingExtra:
    return MissingExtra(
        f"{framework} is not installed; install it with: pip install 'docgraph[{extra}]'"
    )
