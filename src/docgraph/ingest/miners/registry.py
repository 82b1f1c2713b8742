"""The miners, and the references that they find in one document alone."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from docgraph.ingest.languages.relations import MINER_OF
from docgraph.ingest.miners.document_view import MAX_MENTIONS, DocumentView
from docgraph.ingest.miners.entity_names import NAMES, mine_names
from docgraph.ingest.miners.headers import HEADERS, RELATION_OF, mine_headers
from docgraph.ingest.miners.identifiers import (
    DOCUMENTS,
    IDENTIFIERS,
    mine_documents,
    mine_identifiers,
)
from docgraph.ingest.miners.links import LINKS, mine_links
from docgraph.ingest.miners.titles import TITLES
from docgraph.model.errors import BadInput
from docgraph.model.reference import Reference
from docgraph.model.validation import is_storable


def mine_code(view: DocumentView) -> Iterator[Reference]:
    """Of calls by one function to another, the first few: more show nothing new."""
    seen: Counter[tuple[str, str, str, str]] = Counter()
    for reference in view.parsed.references:
        target = reference.target
        same = (reference.relation, reference.suffix, target.key, target.inner)
        seen[same] += 1
        if seen[same] <= MAX_MENTIONS:
            yield reference


_MINERS: MappingProxyType[str, Callable[[DocumentView], Iterator[Reference]]] = MappingProxyType(
    {
        "code": mine_code,
        DOCUMENTS: mine_documents,
        HEADERS: mine_headers,
        IDENTIFIERS: mine_identifiers,
        LINKS: mine_links,
        NAMES: mine_names,
    }
)
# The relations that each miner finds. Code is mined in one pass, but its miners can be switched
# off one by one.
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


def mine_references(view: DocumentView) -> tuple[Reference, ...]:
    """By all miners: a snapshot records which of them count, so switching one off costs nothing.

    A reference with characters that cannot be stored is left out.
    """
    found = (reference for miner in _MINERS.values() for reference in miner(view))
    return tuple(one for one in found if is_storable(one.target.key, one.target.inner, one.text))


def miners_without(names: Sequence[str]) -> frozenset[str]:
    """All miners but these; an unknown name is an error that lists the known ones."""
    if unknown := sorted(set(names) - ALL_MINERS):
        known = ", ".join(sorted(ALL_MINERS))
        raise BadInput(f"no miner is called {', '.join(unknown)}; known: {known}")
    return ALL_MINERS - frozenset(names)
