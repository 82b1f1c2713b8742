"""From definitions to parts: qualified names, each once, and who holds whom."""

from docgraph.ingest.parse.code.definitions import Definition
from docgraph.ingest.parse.code.language import Parts
from docgraph.ingest.parse.code.source import Source
from docgraph.ingest.parsed import Part

OWNERS = ("class", "interface")
DEEPEST = 32  # a qualified name grows with every level


def parts_of(source: Source, found: list[Definition]) -> tuple[Parts, list[Definition]]:
    """What lies too deep is no part: the definitions that come back are those that are."""
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
        within = one.name if parent is None else f"{parts[parent].name}.{one.name}"
        owned = parent is not None and parts[parent].kind in OWNERS
        kind = "method" if one.kind == "function" and owned else one.kind
        # What was found in the text and not in the tree may reach across.
        end = one.end if parent is None else min(one.end, kept[parent].end)
        span = source.place(one.start), source.place(end)
        parts.append(
            Part(kind, _only(within, seen), one.name, *span, parent, one.lead, one.signature)
        )
        opened.append(len(kept))
        kept.append(one._replace(end=end))
    return tuple(parts), kept


def _only(name: str, seen: dict[str, int]) -> str:
    """Of parts with the same qualified name the second is called `name~2`, and so on."""
    seen[name] = seen.get(name, 0) + 1
    if seen[name] == 1:
        return name
    return _only(f"{name}~{seen[name]}", seen)
