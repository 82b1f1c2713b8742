"""Contexts made from their items."""

from docgraph.model.context import Context, ContextDocument, ContextItem


def context_of(
    *items: ContextItem, question: str = "why?", text: str = "text", reason: str = ""
) -> Context:
    """The items by document, as assembling groups them."""
    ids = dict.fromkeys(item.document_id for item in items)
    return Context(
        question=question,
        text=text,
        tokens=7,
        max_tokens=100,
        tokenizer="words",
        documents=tuple(_group(one, items) for one in ids),
        omitted=(),
        reason=reason,
    )


def _group(document_id: str, items: tuple[ContextItem, ...]) -> ContextDocument:
    own = [item for item in items if item.document_id == document_id]
    return ContextDocument(
        document_id=document_id,
        tokens=sum(item.tokens for item in own),
        concepts=tuple(item for item in own if not item.number),
        chunks=tuple(item for item in own if item.number),
    )
