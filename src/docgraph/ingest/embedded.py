"""The texts that are embedded and searched: what a passage says, with where it stands in front."""

from docgraph.model.chunk import Chunk
from docgraph.model.node import Node


def embedded_text(title: str, chunk: Chunk, signature: str = "") -> str:
    """Title and heading path in front of the passage; nothing that it opens with is said twice.

    `signature` is that of the symbol the passage is cut out of.
    """
    *above, last = (title, *chunk.heading_path)
    opening = chunk.text[: 2 * len(last) + 16]
    told = [*above] if last in opening else [*above, last]
    front = [" > ".join(part for part in told if part)]
    if signature and not _begins_with(chunk.text, signature):
        front.append(signature)
    return "\n".join([*(line for line in front if line), chunk.text])


def embedded_summary(title: str, node: Node) -> str:
    """The summary, in front of it the title of the document that a section or symbol is in."""
    if node.parent is None:
        return node.summary
    name = "" if node.title in node.summary else f" > {node.title}"
    return f"{title}{name}\n{node.summary}"


def _begins_with(text: str, signature: str) -> bool:
    """Whatever decorators stand before it, a symbol's first passage holds its signature."""
    return signature.partition("(")[0] in text
