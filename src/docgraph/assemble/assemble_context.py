"""assemble_context: concepts and evidence in a text that never exceeds its token budget."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval

from docgraph.action import action
from docgraph.assemble.render import HEADINGS, WIDEST_NUMBER, concept_block, evidence_block, render
from docgraph.model.context import (
    Context,
    ContextDocument,
    ContextItem,
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
        Omission(node.concept.id, "no chunk of it was fetched")
        for node in evidence.nodes
        if not node.chunks
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
    nodes = [(index, node) for index, node in enumerate(evidence.nodes) if node.chunks]
    for index, node in nodes:
        yield node, None, (index, 0)
    for turn in range(max((len(node.chunks) for _, node in nodes), default=0)):
        for index, node in nodes:
            if turn < len(node.chunks):
                yield node, node.chunks[turn], (index, turn)


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
    text = render_text(selected)
    used = tokens.count(text)
    while used > max_tokens:
        last = selected.pop()
        omitted.append(Omission(last.id, f"the text takes {used} of {max_tokens} tokens with it"))
        text = render_text(selected)
        used = tokens.count(text)
    documents = group_by_document(selected)
    return Context(
        question=evidence.question,
        text=text,
        tokens=used,
        max_tokens=max_tokens,
        tokenizer=tokens.name,
        documents=documents,
        omitted=tuple(omitted),
        reason=evidence.reason or ("" if selected else f"nothing fits into {max_tokens} tokens"),
    )


def split_layers(pieces: list[ContextPiece]) -> tuple[list[ContextPiece], list[ContextPiece]]:
    """Concepts and evidence, each in the plan's order."""
    ordered = sorted(pieces, key=lambda piece: piece.position)
    return [p for p in ordered if not p.chunk], [p for p in ordered if p.chunk]


def render_text(pieces: list[ContextPiece]) -> str:
    concepts, evidence = split_layers(pieces)
    return render([piece.block for piece in concepts], [piece.block for piece in evidence])


def group_by_document(pieces: list[ContextPiece]) -> tuple[ContextDocument, ...]:
    """In the plan's order. Chunks are numbered as in the text; a concept cannot be cited."""
    concepts, evidence = split_layers(pieces)
    numbered = [(0, piece) for piece in concepts] + list(enumerate(evidence, start=1))
    by_document: defaultdict[str, list[ContextItem]] = defaultdict(list)
    for number, piece in sorted(numbered, key=lambda one: (one[1].position, one[0])):
        by_document[piece.node.document_id].append(_item(number, piece))
    return tuple(
        ContextDocument(
            document_id=document_id,
            tokens=sum(item.tokens for item in items),
            concepts=tuple(item for item in items if not item.number),
            chunks=tuple(item for item in items if item.number),
        )
        for document_id, items in by_document.items()
    )


def _item(number: int, piece: ContextPiece) -> ContextItem:
    concept, chunk = piece.node.concept, piece.chunk
    return ContextItem(
        number=number,
        id=piece.id,
        node=chunk.node if chunk else concept.id,
        title=concept.title,
        heading_path=chunk.heading_path if chunk else (),
        location=chunk.location if chunk else concept.location,
        text=chunk.text if chunk else concept.summary,
        tokens=piece.tokens,
        labels=concept.labels,
        level=concept.level,
        why=Reasons(rule=piece.node.rule, access=concept.access, budget=piece.budget),
    )
