"""The exact identifiers that a document and its parts define, in their normalised spelling."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from docgraph.ingest.miners.links import path_keys
from docgraph.ingest.miners.titles import spellings
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.document import DefinedName
from docgraph.model.identifiers import NUMBERED_SERIES, looks_like_identifier, normalise_name
from docgraph.model.node import CODE, SYMBOL_KINDS, DocumentNode
from docgraph.model.reference import Definition

_NUMBERED_STEM = re.compile(r"[A-Za-z]{2,}[-_ ]?\d+(?!\w)")
_NUMBERED_TITLE = re.compile(
    rf"(?:[A-Z]{{2,}}|(?i:{'|'.join(NUMBERED_SERIES)}))[- ]?\d+(?![\w.]\w)"
)
_BARE_NUMBER = re.compile(r"\d+(?=[-_. ]|$)")
_DUNDER = re.compile(r"__\w+__")
# Folders whose files are numbered without saying what they are.
_SERIES = {
    "adr": "ADR",
    "adrs": "ADR",
    "decisions": "ADR",
    **{f"{family.casefold()}s": family for family in NUMBERED_SERIES},
}
_FIELDS = {"request_for_comments": "RFC", **{f.casefold(): f for f in NUMBERED_SERIES}}


def names(path: str, parsed: ParsedFile, nodes: Sequence[DocumentNode]) -> tuple[DefinedName, ...]:
    """Sorted, each once; `nodes[0]` is the document, the others are its parts in order."""
    found = {
        (normalise_name(name), nodes[0].id)
        for name in (*_of_file(path, parsed), *_of_document(path, parsed))
    }
    for part, node in zip(parsed.parts, nodes[1:], strict=True):
        if part.kind in SYMBOL_KINDS:
            spellings = (part.title, node.title, f"{parsed.title}.{node.title}")
            bare = spellings if not _DUNDER.fullmatch(part.title) else spellings[1:]
            found.update([(normalise_name(name), node.id) for name in bare])
    return tuple(DefinedName(name, node) for name, node in sorted(found) if name)


def _of_file(path: str, parsed: ParsedFile) -> Iterator[str]:
    """Path and file name; the stem of code always, of a document when no plain word."""
    place = PurePosixPath(path)
    yield path
    yield place.name
    if parsed.kind == CODE:
        yield parsed.title
        yield parsed.title.rpartition(".")[2]
    elif looks_like_identifier(place.stem) or "-" in place.stem:
        yield place.stem


def _of_document(path: str, parsed: ParsedFile) -> Iterator[str]:
    """Its id, and its number in a series such as `PEP 484`, wherever it says so."""
    if parsed.kind == CODE:
        return
    yield from (field.value for field in parsed.fields if field.name in {"id", "identifier"})
    for field in parsed.fields:
        if field.name in _FIELDS and field.value.isdecimal():
            yield f"{_FIELDS[field.name]} {field.value}"
    place = PurePosixPath(path)
    if match := _NUMBERED_STEM.match(place.stem):
        yield match.group()
    if parsed.titled and (match := _NUMBERED_TITLE.match(parsed.title)):
        yield match.group()
    series = _SERIES.get(place.parent.name.casefold())
    if series and (match := _BARE_NUMBER.match(place.stem)):
        yield f"{series} {match.group()}"


# Offers: every key by which a document and its parts can be meant.


def offers(
    path: str, parsed: ParsedFile, nodes: tuple[str, ...], names: tuple[DefinedName, ...]
) -> Iterator[Definition]:
    """`nodes` are the ids of the document and of its parts, in order."""
    for offered, rank in path_keys(path):
        yield Definition(f"path:{offered}", nodes[0], rank)
    kind = "code" if parsed.kind == CODE else "doc"
    for name in names:
        yield Definition(f"{kind}:{name.name}", name.node)
    if parsed.titled and parsed.kind != CODE:
        for rank, spelling in enumerate(spellings(parsed.title)):
            yield Definition(f"title:{spelling}", nodes[0], rank)
    for handle in parsed.handles:
        node = nodes[0 if handle.part is None else handle.part + 1]
        yield Definition(handle.key, node, handle.rank)
