"""Evidence for other frameworks: the items of a context, each with its provenance as plain JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, InstanceOf

from docgraph.assemble.sanitize import sanitize
from docgraph.interfaces.auth.principals import ReaderLike
from docgraph.interfaces.python.docgraph import Docgraph
from docgraph.interfaces.python.open_store import Store
from docgraph.interfaces.python.options import QuestionOptions, check_options
from docgraph.interfaces.python.result import Result
from docgraph.model.access import Person
from docgraph.model.context import ContextItem
from docgraph.model.digest import plain
from docgraph.model.errors import MissingExtra
from docgraph.model.evidence import RetrievedContext
from docgraph.model.node import repository_of
from docgraph.model.vector import cosine
from docgraph.pipeline.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """`text` as the context writes it, with instructions to a model made harmless.

    `score` is the cosine of question and chunk; None where ids were asked for.
    """

    id: str
    document_id: str
    text: str
    score: float | None
    start: int
    end: int
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RetrieverOptions:
    """A store, and the options of every question that a framework's retriever asks of it."""

    docgraph: Docgraph
    options: QuestionOptions

    def __post_init__(self) -> None:
        check_options(self.options, QuestionOptions)

    def retrieve(self, question: str, as_: ReaderLike = None) -> list[EvidenceItem]:
        """In the context's order. `as_` replaces the reader of the options."""
        options = self.options.copy()
        if as_ is not None:
            options["as_"] = as_
        return list(evidence_of(self.docgraph.retrieve(question, **options)))


class RetrieverFields(BaseModel):
    """QuestionOptions as fields, for a framework whose retrievers are pydantic models."""

    as_: str | InstanceOf[Person] | None = None
    pipeline: InstanceOf[Pipeline] | Store = "documents"
    seeds: tuple[str, ...] = ()
    repository: str | None = None
    branch: str | None = None
    snapshot: int | None = None
    max_tokens: int | None = None

    def options(self) -> QuestionOptions:
        values: Any = {name: getattr(self, name) for name in RetrieverFields.model_fields}
        options: QuestionOptions = values
        return options


def evidence_of(result: Result) -> Iterator[EvidenceItem]:
    shared = {
        "plan_digest": result.plan.digest,
        "context_digest": result.context.digest,
        "snapshots": plain(result.scope.snapshots),
    }
    similarities = {
        chunk.id: chunk.similarity
        for node in result.run.get(RetrievedContext).nodes
        for chunk in node.chunks
    }
    for item in result.evidence:
        similarity = similarities[item.id]
        score = None if similarity is None else cosine(similarity)
        yield EvidenceItem(
            id=item.id,
            document_id=item.document_id,
            text=sanitize(item.text.strip("\r\n").rstrip()),
            score=score,
            start=item.location.start,
            end=item.location.end,
            metadata={**_provenance(item), "similarity": score, **shared},
        )


def _provenance(item: ContextItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "node": item.node,
        "document_id": item.document_id,
        "title": item.title,
        "heading_path": list(item.heading_path),
        "source": f"{repository_of(item.document_id)}:{item.location.cite()}",
        "location": plain(item.location),
        "number": item.number,
        "tokens": item.tokens,
        "why": plain(item.why),
    }


def open_docgraph(store: Docgraph | Store | None) -> Docgraph:
    return store if isinstance(store, Docgraph) else Docgraph(store)


def missing_extra(framework: str, extra: str) -> MissingExtra:
    return MissingExtra(
        f"{framework} is not installed; install it with: pip install 'docgraph[{extra}]'"
    )
