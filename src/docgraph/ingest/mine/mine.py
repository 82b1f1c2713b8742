"""Mining: what one document says about others, by every miner, none of which asks anyone else."""

from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from docgraph.ingest.mine.code import MINER_OF, code
from docgraph.ingest.mine.documents import DOCUMENTS, documents
from docgraph.ingest.mine.headers import HEADERS, RELATION_OF, headers
from docgraph.ingest.mine.identifiers import IDENTIFIERS, identifiers
from docgraph.ingest.mine.links import LINKS, links
from docgraph.ingest.mine.names import NAMES, names
from docgraph.ingest.mine.sketch import Sketch
from docgraph.ingest.mine.titles import TITLES
from docgraph.model.claim import Claim
from docgraph.model.errors import BadInput
from docgraph.model.storable import storable

_MINERS: MappingProxyType[str, Callable[[Sketch], Iterator[Claim]]] = MappingProxyType(
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


def claims(sketch: Sketch) -> tuple[Claim, ...]:
    """All of them are stored, and a snapshot says whose count: switching one off costs nothing.

    What no store takes is the name of nothing.
    """
    found = (claim for miner in _MINERS.values() for claim in miner(sketch))
    return tuple(claim for claim in found if storable(claim.key, claim.inner, claim.says))


def miners_without(names: Sequence[str]) -> frozenset[str]:
    """All but these; a name that no miner has is an error that says which there are."""
    if unknown := sorted(set(names) - ALL_MINERS):
        known = ", ".join(sorted(ALL_MINERS))
        raise BadInput(f"no miner is called {', '.join(unknown)}; known: {known}")
    return ALL_MINERS - frozenset(names)
