"""Mining: what one document says about others, by every miner, none of which asks anyone else."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from docgraph.ingest.miners.document_view import MOST_PLACES, DocumentView
from docgraph.ingest.miners.entity_names import NAMES, names
from docgraph.ingest.miners.headers import HEADERS, RELATION_OF, headers
from docgraph.ingest.miners.identifiers import DOCUMENTS, IDENTIFIERS, documents, identifiers
from docgraph.ingest.miners.links import LINKS, links
from docgraph.ingest.miners.titles import TITLES
from docgraph.model.errors import BadInput
from docgraph.model.reference import Reference
from docgraph.model.validation import is_storable

# Code: what a reader of code found in one file, each kind of relation under its own miner.


MINER_OF = MappingProxyType(
    {
        "imports": "imports",
        "calls": "calls",
        "inherits": "types",
        "implements": "types",
        "reads": "tables",
        "writes": "tables",
        "references": "tables",
    }
)


def code(sketch: DocumentView) -> Iterator[Reference]:
    """Of calls by one function to another, the first few places: more show nothing new."""
    seen: Counter[tuple[str, int | None, str, str]] = Counter()
    for pointer in sketch.parsed.pointers:
        same = (pointer.relation, pointer.part, pointer.key, pointer.inner)
        seen[same] += 1
        if seen[same] > MOST_PLACES:
            continue
        yield Reference(
            source=sketch.nodes[0 if pointer.part is None else pointer.part + 1],
            relation=pointer.relation,
            key=pointer.key,
            start=pointer.start,
            end=pointer.end,
            line=pointer.line,
            says=pointer.says,
            miner=MINER_OF[pointer.relation],
            inner=pointer.inner,
            strict=pointer.strict,
            rank=pointer.rank,
            near=pointer.near,
            reported=pointer.reported,
        )


_MINERS: MappingProxyType[str, Callable[[DocumentView], Iterator[Reference]]] = MappingProxyType(
    {
        "code": code,
        DOCUMENTS: documents,
        HEADERS: headers,
        IDENTIFIERS: identifiers,
        LINKS: links,
        NAMES: names,
    }
)
# What each miner finds. Code is mined in one go, but its miners can be switched off one by one.
FINDS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        **{m: tuple(r for r, by in MINER_OF.items() if by == m) for m in MINER_OF.values()},
        DOCUMENTS: ("documents",),
        HEADERS: tuple(sorted(set(RELATION_OF.values()))),
        IDENTIFIERS: ("references",),
        LINKS: ("references",),
        NAMES: ("shares_entity",),
        TITLES: ("mentions",),
    }
)
ALL_MINERS = frozenset(FINDS)


def claims(sketch: DocumentView) -> tuple[Reference, ...]:
    """All of them are stored, and a snapshot says whose count: switching one off costs nothing.

    What no store takes is the name of nothing.
    """
    found = (claim for miner in _MINERS.values() for claim in miner(sketch))
    return tuple(claim for claim in found if is_storable(claim.key, claim.inner, claim.says))


def miners_without(names: Sequence[str]) -> frozenset[str]:
    """All but these; a name that no miner has is an error that says which there are."""
    if unknown := sorted(set(names) - ALL_MINERS):
        known = ", ".join(sorted(ALL_MINERS))
        raise BadInput(f"no miner is called {', '.join(unknown)}; known: {known}")
    return ALL_MINERS - frozenset(names)
