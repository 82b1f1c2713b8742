"""assemble_context: fit concepts and evidence on a page that never exceeds its tokens."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.assemble.render import HEADINGS, WIDEST_NUMBER, concept_block, evidence_block, render
from docgraph.model.context import (
    Context,
    ContextItem,
    DocumentShare,
    Omission,
    Reasons,
    TokenCounter,
)
from docgraph.model.evidence import EvidenceChunk, NodeEvidence, RetrievedContext

# Which pieces enter the page, in which order they are tried, and what each decision was.


CONCEPT_SHARE = 4  # concepts take at most a quarter of the budget


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A concept or passage that entered; `place` is where it stands in the plan's order."""

    node: NodeEvidence
    passage: EvidenceChunk | None
    place: tuple[int, int]
    block: str
    tokens: int
    budget: str

    @property
    def id(self) -> str:
        return self.passage.id if self.passage else self.node.concept.id


def select_pieces(
    evidence: RetrievedContext, tokens: TokenCounter, max_tokens: int
) -> tuple[list[ContextPiece], list[Omission]]:
    """What is too long is left out whole, and shorter pieces after it may still enter."""
    chosen: list[ContextPiece] = []
    omitted = [
        Omission(node.concept.id, "no passage of it was fetched")
        for node in evidence.nodes
        if not node.passages
    ]
    used = tokens.count("".join(HEADINGS))
    for node, passage, place in pieces_in_order(evidence):
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
        chosen.append(ContextPiece(node, passage, place, block, size, budget))
    return chosen, omitted


def pieces_in_order(
    evidence: RetrievedContext,
) -> Iterator[tuple[NodeEvidence, EvidenceChunk | None, tuple[int, int]]]:
    """Concepts, then every node's first passage, then every node's second, and so on."""
    nodes = [(index, node) for index, node in enumerate(evidence.nodes) if node.passages]
    for index, node in nodes:
        yield node, None, (index, 0)
    for turn in range(max((len(node.passages) for _, node in nodes), default=0)):
        for index, node in nodes:
            if turn < len(node.passages):
                yield node, node.passages[turn], (index, turn)


def within_budget(context: Context) -> bool:
    """A context never holds more tokens than its budget."""
    return context.tokens <= context.max_tokens


@action(ensures=(within_budget,))
def assemble_context(
    evidence: RetrievedContext,
    tokens: TokenCounter,
    *,
    max_tokens: Annotated[int, Interval(ge=1, le=10_000_000)] = 4000,
) -> Context:
    """Tokens are counted on the rendered text, so the last piece goes while that is too long."""
    chosen, omitted = select_pieces(evidence, tokens, max_tokens)
    text = page(chosen)
    used = tokens.count(text)
    while used > max_tokens:
        last = chosen.pop()
        omitted.append(Omission(last.id, f"the page took {used} of {max_tokens} tokens with it"))
        text = page(chosen)
        used = tokens.count(text)
    items = tuple(_items(chosen))
    return Context(
        question=evidence.question,
        text=text,
        tokens=used,
        max_tokens=max_tokens,
        tokenizer=tokens.name,
        items=items,
        documents=shares(items),
        omitted=tuple(omitted),
        reason=evidence.reason or ("" if items else f"nothing fits into {max_tokens} tokens"),
    )


def arranged(pieces: list[ContextPiece]) -> tuple[list[ContextPiece], list[ContextPiece]]:
    """Concepts and evidence as the page shows them, each in the plan's order."""
    ordered = sorted(pieces, key=lambda piece: piece.place)
    return [p for p in ordered if not p.passage], [p for p in ordered if p.passage]


def page(pieces: list[ContextPiece]) -> str:
    concepts, evidence = arranged(pieces)
    return render([piece.block for piece in concepts], [piece.block for piece in evidence])


def shares(items: tuple[ContextItem, ...]) -> tuple[DocumentShare, ...]:
    """Tokens per document, in order of appearance."""
    documents = dict.fromkeys(item.document for item in items)
    return tuple(
        DocumentShare(
            document,
            sum(item.document == document for item in items),
            sum(item.tokens for item in items if item.document == document),
        )
        for document in documents
    )


def _items(pieces: list[ContextPiece]) -> Iterator[ContextItem]:
    """Evidence is numbered as the page numbers it; a concept has no number to cite."""
    concepts, evidence = arranged(pieces)
    for number, piece in [(0, piece) for piece in concepts] + list(enumerate(evidence, start=1)):
        concept, passage = piece.node.concept, piece.passage
        yield ContextItem(
            number=number,
            layer="evidence" if passage else "concept",
            document=concept.document,
            node=passage.node if passage else concept.id,
            id=piece.id,
            title=concept.title,
            heading_path=passage.heading_path if passage else (),
            location=passage.location if passage else concept.location,
            text=passage.text if passage else concept.summary,
            tokens=piece.tokens,
            labels=concept.labels,
            level=concept.level,
            why=Reasons(rule=piece.node.rule, access=concept.access, budget=piece.budget),
        )
