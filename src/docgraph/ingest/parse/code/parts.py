"""From definitions to parts: qualified names, each once, and who holds whom."""

from docgraph.ingest.parse.code.definitions import Definition
from docgraph.ingest.parse.code.language import Parts
from docgraph.ingest.parse.code.source import Source
from docgraph.ingest.parsed import Part

OWNERS = ("class", "interface")
DEEPEST = 32  # a qualified name grows with every level


def parts_of(source: Source, found: list[Definition]) -> tuple[Parts, list[Definition]]:
    """Of parts with the same qualified name the second is called `name~2`, and so on.

    What lies too deep is no part: the definitions that come back are those that are.
    """
    parts: list[Part] = []
    kept: list[Definition] = []
    opened: list[int] = []
    seen: dict[str, int] = {}
    for one in found:
        while opened and kept[opened[-1]].end <= one.start:
            opened.pop()
        if len(opened) == DEEPEST:
            continue
        parent = opened[-1] if opened else None
        name = one.name if parent is None else f"{parts[parent].name}.{one.name}"
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name = f"{name}~{seen[name]}"
        owned = parent is not None and parts[parent].kind in OWNERS
        kind = "method" if one.kind == "function" and owned else one.kind
        start, end = source.place(one.start), source.place(one.end)
        parts.append(Part(kind, name, one.name, start, end, parent, one.lead, one.signature))
        opened.append(len(kept))
        kept.append(one)
    return tuple(parts), kept
