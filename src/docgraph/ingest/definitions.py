"""The keys by which a document and its parts can be referred to."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from docgraph.ingest.miners.links import path_keys
from docgraph.ingest.miners.titles import title_spellings
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.identifiers import NUMBERED_SERIES, looks_like_identifier, normalise_name
from docgraph.model.node import CODE, SYMBOL_KINDS, DocumentNode
from docgraph.model.reference import Definition

_NUMBERED_STEM = re.compile(r"[A-Za-z]{2,}[-_ ]?\d+(?!\w)")
_NUMBERED_TITLE = re.compile(
    rf"(?:[A-Z]{{2,}}|(?i:{'|'.join(NUMBERED_SERIES)}))[- ]?\d+(?![\w.]\w)"
)
_BARE_NUMBER = re.compile(r"\d+(?=[-_. ]|$)")
_DUNDER = re.compile(r"__\w+__")
# Folders whose files have numbers without the name of their series.
_SERIES = {
    "adr": "ADR",
    "adrs": "ADR",
    "decisions": "ADR",
    **{f"{family.casefold()}s": family for family in NUMBERED_SERIES},
}
_FIELDS = {"request_for_comments": "RFC", **{f.casefold(): f for f in NUMBERED_SERIES}}


def defined_names(
    path: str, parsed: ParsedFile, nodes: Sequence[DocumentNode]
) -> tuple[tuple[str, str], ...]:
    """(normalised name, suffix), sorted, each once; `nodes` are the document and its parts."""
    names = {
        (normalise_name(name), "")
        for name in (*_names_of_file(path, parsed), *_names_of_document(path, parsed))
    }
    for part, node in zip(parsed.parts, nodes[1:], strict=True):
        if part.kind in SYMBOL_KINDS:
            spellings = (part.title, node.title, f"{parsed.title}.{node.title}")
            specific = spellings if not _DUNDER.fullmatch(part.title) else spellings[1:]
            names.update([(normalise_name(name), part.suffix) for name in specific])
    return tuple((name, suffix) for name, suffix in sorted(names) if name)


def _names_of_file(path: str, parsed: ParsedFile) -> Iterator[str]:
    """Path and file name; the stem of code always, of a document when no plain word."""
    file = PurePosixPath(path)
    yield path
    yield file.name
    if parsed.kind == CODE:
        yield parsed.title
        yield parsed.title.rpartition(".")[2]
    elif looks_like_identifier(file.stem) or "-" in file.stem:
        yield file.stem


def _names_of_document(path: str, parsed: ParsedFile) -> Iterator[str]:
    """Its id, and its number in a series such as `PEP 484`, from header, title or path."""
    if parsed.kind == CODE:
        return
    yield from (field.value for field in parsed.fields if field.name in {"id", "identifier"})
    for field in parsed.fields:
        if field.name in _FIELDS and field.value.isdecimal():
            yield f"{_FIELDS[field.name]} {field.value}"
    file = PurePosixPath(path)
    if match := _NUMBERED_STEM.match(file.stem):
        yield match.group()
    if parsed.titled and (match := _NUMBERED_TITLE.match(parsed.title)):
        yield match.group()
    series = _SERIES.get(file.parent.name.casefold())
    if series and (match := _BARE_NUMBER.match(file.stem)):
        yield f"{series} {match.group()}"


def list_definitions(
    path: str, parsed: ParsedFile, names: tuple[tuple[str, str], ...]
) -> Iterator[Definition]:
    """By path, by the `defined_names`, by title, and by the keys of the file's language."""
    for key, rank in path_keys(path):
        yield Definition(f"path:{key}", rank=rank)
    kind = "code" if parsed.kind == CODE else "doc"
    for name, suffix in names:
        yield Definition(f"{kind}:{name}", suffix)
    if parsed.titled and parsed.kind != CODE:
        for rank, spelling in enumerate(title_spellings(parsed.title)):
            yield Definition(f"title:{spelling}", rank=rank)
    yield from parsed.definitions
