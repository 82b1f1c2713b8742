"""The miners, and the references that they find in one document alone."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from docgraph.ingest.languages.references import MINER_OF
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

Mine = Callable[[DocumentView], Iterator[Reference]]


class MinerFailed(Exception):
    """A plug-in miner failed on one document; the message names the miner."""


@dataclass(frozen=True, slots=True)
class Miner:
    """`mine` reads one document and decides nothing: whether a target exists is found out later.

    Its references have the miner's name and one of its `relations`. A `version` other than 0 is
    part of a document's fingerprint: raise it when `mine` changes.
    """

    name: str
    relations: tuple[str, ...]
    mine: Mine
    version: int = 0


def _code_miner(name: str) -> Miner:
    """References in code are found by the format's parser; each of their miners selects its own."""

    def mine(view: DocumentView) -> Iterator[Reference]:
        """Of calls by one function to another, the first few: more show nothing new."""
        seen: Counter[tuple[str, str, str, str]] = Counter()
        for reference in view.parsed.references:
            if reference.miner == name:
                target = reference.target
                same = (reference.relation, reference.suffix, target.key, target.inner)
                seen[same] += 1
                if seen[same] <= MAX_MENTIONS:
                    yield reference

    return Miner(name, tuple(r for r, by in MINER_OF.items() if by == name), mine)


def _mine_no_titles(_: DocumentView) -> Iterator[Reference]:
    """Titles are known when all documents are: `titles.mine_titles` finds their mentions."""
    return iter(())


CALLS_MINER = _code_miner("calls")
DOCUMENTS_MINER = Miner(DOCUMENTS, ("documents",), mine_documents)
HEADERS_MINER = Miner(HEADERS, tuple(sorted(set(RELATION_OF.values()))), mine_headers)
IDENTIFIERS_MINER = Miner(IDENTIFIERS, ("references",), mine_identifiers)
IMPORTS_MINER = _code_miner("imports")
LINKS_MINER = Miner(LINKS, ("references",), mine_links)
NAMES_MINER = Miner(NAMES, ("shares_entity",), mine_names)
TABLES_MINER = _code_miner("tables")
TITLES_MINER = Miner(TITLES, ("mentions",), _mine_no_titles)
TYPES_MINER = _code_miner("types")
MINERS = (
    *(CALLS_MINER, IMPORTS_MINER, TABLES_MINER, TYPES_MINER),
    *(DOCUMENTS_MINER, HEADERS_MINER, IDENTIFIERS_MINER, LINKS_MINER, NAMES_MINER, TITLES_MINER),
)
ALL_MINERS = frozenset(miner.name for miner in MINERS)


@dataclass(frozen=True, slots=True)
class MinerRegistry:
    """The shipped miners and those of plug-ins."""

    installed: tuple[Miner, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        return ALL_MINERS.union(miner.name for miner in self.installed)

    @property
    def fingerprint(self) -> tuple[tuple[str, int], ...]:
        """What makes unchanged files be read again: an installed miner more, less, or changed."""
        return tuple((miner.name, miner.version) for miner in self.installed)

    def mine(self, view: DocumentView) -> tuple[Reference, ...]:
        """By all miners: a snapshot records which of them count, so switching one off is free.

        A reference with characters that cannot be stored is left out.
        """
        shipped = (reference for miner in MINERS for reference in miner.mine(view))
        installed = (one for miner in self.installed for one in _mine_installed(miner, view))
        return tuple(
            one
            for one in chain(shipped, installed)
            if is_storable(one.target.key, one.target.inner, one.text)
        )

    def without(self, names: Sequence[str]) -> frozenset[str]:
        """All miners but these; an unknown name is an error that lists the known ones."""
        if unknown := sorted(set(names) - self.names):
            known = ", ".join(sorted(self.names))
            raise BadInput(f"no miner is called {', '.join(unknown)}; known: {known}")
        return self.names - frozenset(names)


SHIPPED_MINERS = MinerRegistry()


def _mine_installed(miner: Miner, view: DocumentView) -> tuple[Reference, ...]:
    """An error of a plug-in names the plug-in; so does a reference that is not its own."""
    try:
        references = tuple(miner.mine(view))
    except (MemoryError, RecursionError):
        raise
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise MinerFailed(f"the plug-in miner {miner.name!r} failed: {reason}") from error
    for one in references:
        if one.miner != miner.name or one.relation not in miner.relations:
            raise MinerFailed(
                f"the plug-in miner {miner.name!r} gave a reference "
                f"{one.relation!r} of {one.miner!r}, which it does not declare"
            )
    return references
