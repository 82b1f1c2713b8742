"""assemble_context: concepts and evidence in a text that never exceeds its token budget."""

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

CONCEPT_BUDGET_DIVISOR = 4  # concepts take at most a quarter of the budget


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A concept or chunk of the context; `position` is that in the plan's order."""

    node: NodeEvidence
    chunk: EvidenceChunk | None
    position: tuple[int, int]
    block: str
    tokens: int
    budget: str

    @property
    def id(self) -> str:
        return self.chunk.id if self.chunk else self.node.concept.id


def select_pieces(
    evidence: RetrievedContext, tokens: TokenCounter, max_tokens: int
) -> tuple[list[ContextPiece], list[Omission]]:
    """A piece that is too long is omitted, and shorter ones after it may still fit."""
    selected: list[ContextPiece] = []
    omitted = [
        Omission(node.concept.id, "no passage of it was fetched")
        for node in evidence.nodes
        if not node.passages
    ]
    used = tokens.count("".join(HEADINGS))
    for node, chunk, position in pieces_in_order(evidence):
        block = evidence_block(node, chunk) if chunk else concept_block(node.concept)
        size = tokens.count(WIDEST_NUMBER + block if chunk else block)
        limit = max_tokens if chunk else max_tokens // CONCEPT_BUDGET_DIVISOR
        if used + size > limit:
            name = chunk.id if chunk else node.concept.id
            what = "tokens" if chunk else "tokens for concepts"
            omitted.append(Omission(name, f"{size} tokens, {used} of {limit} {what} used"))
            continue
        used += size
        budget = f"{size} tokens, {used} of {max_tokens} used"
        selected.append(ContextPiece(node, chunk, position, block, size, budget))
    return selected, omitted


def pieces_in_order(
    evidence: RetrievedContext,
) -> Iterator[tuple[NodeEvidence, EvidenceChunk | None, tuple[int, int]]]:
    """Concepts, then every node's first chunk, then every node's second, and so on."""
    nodes = [(index, node) for index, node in enumerate(evidence.nodes) if node.passages]
    for index, node in nodes:
        yield node, None, (index, 0)
    for turn in range(max((len(node.passages) for _, node in nodes), default=0)):
        for index, node in nodes:
            if turn < len(node.passages):
                yield node, node.passages[turn], (index, turn)


def within_budget(context: Context) -> bool:
    """A context never has more tokens than its budget."""
    return context.tokens <= context.max_tokens


@action(ensures=(within_budget,))
def assemble_context(
    evidence: RetrievedContext,
    tokens: TokenCounter,
    *,
    max_tokens: Annotated[int, Interval(ge=1, le=10_000_000)] = 4000,
) -> Context:
    """Tokens are counted on the rendered text; while it is too long, the last piece is dropped."""
    selected, omitted = select_pieces(evidence, tokens, max_tokens)
    text = render_page(selected)
    used = tokens.count(text)
    while used > max_tokens:
        last = selected.pop()
        omitted.append(Omission(last.id, f"the page took {used} of {max_tokens} tokens with it"))
        text = render_page(selected)
        used = tokens.count(text)
    items = tuple(_items(selected))
    return Context(
        question=evidence.question,
        text=text,
        tokens=used,
        max_tokens=max_tokens,
        tokenizer=tokens.name,
        items=items,
        documents=document_shares(items),
        omitted=tuple(omitted),
        reason=evidence.reason or ("" if items else f"nothing fits into {max_tokens} tokens"),
    )


def split_layers(pieces: list[ContextPiece]) -> tuple[list[ContextPiece], list[ContextPiece]]:
    """Concepts and evidence, each in the plan's order."""
    ordered = sorted(pieces, key=lambda piece: piece.position)
    return [p for p in ordered if not p.chunk], [p for p in ordered if p.chunk]


def render_page(pieces: list[ContextPiece]) -> str:
    concepts, evidence = split_layers(pieces)
    return render([piece.block for piece in concepts], [piece.block for piece in evidence])


def document_shares(items: tuple[ContextItem, ...]) -> tuple[DocumentShare, ...]:
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
    """Evidence is numbered as in the text; a concept has number 0 and cannot be cited."""
    concepts, evidence = split_layers(pieces)
    for number, piece in [(0, piece) for piece in concepts] + list(enumerate(evidence, start=1)):
        concept, chunk = piece.node.concept, piece.chunk
        yield ContextItem(
            number=number,
            layer="evidence" if chunk else "concept",
            document=concept.document,
            node=chunk.node if chunk else concept.id,
            id=piece.id,
            title=concept.title,
            heading_path=chunk.heading_path if chunk else (),
            location=chunk.location if chunk else concept.location,
            text=chunk.text if chunk else concept.summary,
            tokens=piece.tokens,
            labels=concept.labels,
            level=concept.level,
            why=Reasons(rule=piece.node.rule, access=concept.access, budget=piece.budget),
        )
