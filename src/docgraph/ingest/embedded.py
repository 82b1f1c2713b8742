"""The texts that are embedded and searched: what a passage says, with where it stands in front."""

from docgraph.model.chunk import Chunk
from docgraph.model.node import Node


def embedded_text(title: str, chunk: Chunk, signature: str = "") -> str:
    """Title and heading path in front of the passage; nothing that it opens with is said twice.

    `signature` is that of the symbol the passage is cut out of.
    """
    text, told = chunk.text, [title, *chunk.heading_path]
    last = told[-1]
    if last in text[: 2 * len(last) + 16]:
        told.pop()
    front = " > ".join(filter(None, told))
    if signature and not _begins_with(text, signature):
        front = f"{front}\n{signature}" if front else signature
    return f"{front}\n{text}" if front else text


def embedded_summary(title: str, node: Node) -> str:
    """The summary, in front of it the title of the document that a section or symbol is in."""
    if node.parent is None:
        return node.summary
    name = "" if node.title in node.summary else f" > {node.title}"
    return f"{title}{name}\n{node.summary}"


def _begins_with(text: str, signature: str) -> bool:
    """Whatever decorators stand before it, a symbol's first passage holds its signature."""
    return signature.partition("(")[0] in text
