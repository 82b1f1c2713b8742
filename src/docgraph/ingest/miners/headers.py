"""The miner of headers: fields that state a document's relation to others."""

import re
from collections.abc import Iterator
from dataclasses import replace

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.miners.links import (
    anchor_suffixes,
    candidate_paths,
    is_external,
    split_anchor,
)
from docgraph.ingest.parsed_file import HeaderField, normalise_field_name
from docgraph.model.identifiers import identifiers, normalise_name
from docgraph.model.node import document_of, encode, path_of
from docgraph.model.reference import Reference, ReferenceTarget

HEADERS = "headers"
_LINK = re.compile(
    r"\[[^\]\n]*+\]\(<?(?P<markdown>[^)\s>]++)[^)\n]*+\)"
    r"|(?::[\w:+-]+:)?`[^`<\n]*+<(?P<rst>[^`>\n]++)>`_{0,2}"
)
_SEPARATOR = re.compile(r"[,;]|(?<!\s)\s++(?:and|&)\s+")
_WRAPPING = " \t\"'`*[](){}<>."
_NO_VALUES = frozenset({"", "-", "--", "n/a", "na", "none", "null", "~", "nothing", "and"})


def split_values(field: HeaderField) -> Iterator[HeaderField]:
    """The single values of a field, each with its span; a link is its target, `none` no value."""
    for match in _LINK.finditer(field.value):
        target = match["markdown"] or match["rst"]
        yield _narrow(field, match.start(), match.end(), target.strip())
    rest = _LINK.sub(lambda match: "," * len(match.group()), field.value)
    ends = [*(match.span() for match in _SEPARATOR.finditer(rest)), (len(rest), len(rest))]
    start = 0
    for end, following in ends:
        value = rest[start:end].strip(_WRAPPING)
        if value.casefold() not in _NO_VALUES:
            position = rest.index(value, start)
            yield _narrow(field, position, position + len(value), value)
        start = following


def _narrow(field: HeaderField, start: int, end: int, value: str) -> HeaderField:
    """Where a value was unquoted or unfolded, its span is the whole field's."""
    if field.end - field.start != len(field.value):
        return replace(field, value=value)
    return replace(field, value=value, start=field.start + start, end=field.start + end)


# The words of a field's name or of a status, and the relation that they state.
_LIFECYCLE = {
    "amended by": "updated_by",
    "amends": "updates",
    "obsoleted by": "obsoleted_by",
    "obsoletes": "obsoletes",
    "replaced by": "replaced_by",
    "replaces": "replaces",
    "superceded by": "superseded_by",
    "supercedes": "supersedes",
    "superseded by": "superseded_by",
    "supersedes": "supersedes",
    "updated by": "updated_by",
    "updates": "updates",
}
_PLAIN = {
    **{name: name for name in ("decision_for", "derived_from", "example_of", "explains")},
    **{name: name for name in ("implements", "references", "requires")},
    "depends_on": "requires",
    "related": "references",
    "see_also": "references",
}
RELATION_OF = {normalise_field_name(words): name for words, name in _LIFECYCLE.items()} | _PLAIN
_STATUS = re.compile(rf"(?i)\b(?P<words>{'|'.join(_LIFECYCLE)})\b:?\s*".replace(" by", r"\s+by"))
_NUMBERED = re.compile(r"([a-z]{2,})\d+")
_MAX_VALUE_CHARACTERS = 2_000  # a longer value is prose
_READING_RANK = 1_000  # a better way of reading a value outranks every distance


def mine_headers(view: DocumentView) -> Iterator[Reference]:
    """Everything that a value may mean is a target; the ways of reading it differ in rank.

    A path, else an id, a name, a number of the document's own series, a title, or names inside
    the value.
    """
    for field in view.parsed.fields:
        for relation, stated in _find_relations(field):
            for value in split_values(stated):
                for target in (
                    *_path_targets(view, value.value),
                    *_name_targets(view, value.value),
                ):
                    yield view.reference(HEADERS, relation, target, value, value.value)


def _find_relations(field: HeaderField) -> Iterator[tuple[str, HeaderField]]:
    """The relations that a field states, each with the part of it that names the other end."""
    if len(field.value) > _MAX_VALUE_CHARACTERS:
        return
    if field.name in RELATION_OF:
        yield RELATION_OF[field.name], field
    elif field.name == "status":
        matches = list(_STATUS.finditer(field.value))
        ends = [*(match.start() for match in matches[1:]), len(field.value)]
        for match, end in zip(matches, ends, strict=False):
            relation = RELATION_OF[normalise_field_name(match["words"])]
            rest = replace(field, value=field.value[match.end() : end])
            if field.end > field.start:  # a field of a page's head is not in its text
                start = field.start + match.end()
                rest = replace(rest, start=start, end=start + len(rest.value))
            yield relation, rest


def _path_targets(view: DocumentView, value: str) -> Iterator[ReferenceTarget]:
    """A node id; or a path from the file's folder, else from the root."""
    repository, _, rest = value.partition(":")
    if repository == encode(view.repository) and rest:
        root = document_of(value)
        suffix = value.removeprefix(root)
        yield ReferenceTarget(
            f"path:{path_of(root)}", suffix, True, _READING_RANK, distance_weight=1
        )
    path, anchor = split_anchor(value)
    if is_external(value) or not path:
        return
    seen: set[str] = set()
    for base, folder in enumerate((view.folder, "")):
        for candidate, rank in candidate_paths(folder, path):
            if candidate not in seen:
                seen.add(candidate)
                for inner, strict in anchor_suffixes(anchor):
                    total = base * (_READING_RANK // 2) + rank
                    distance_weight = 1 if total >= _READING_RANK else 0
                    yield ReferenceTarget(
                        f"path:{candidate}", inner, strict, total, distance_weight
                    )


def _name_targets(view: DocumentView, value: str) -> Iterator[ReferenceTarget]:
    """The value as one name comes before the title, and that before names inside the value."""
    readings = (
        (2, [normalise_name(value)]),
        (3, _series_names(view, value)),
        (5, identifiers(value)),
    )
    for reading, names in readings:
        for name in names:
            yield ReferenceTarget(f"doc:{name}", rank=reading * _READING_RANK, distance_weight=1)
            yield ReferenceTarget(f"code:{name}", rank=reading * _READING_RANK, distance_weight=1)
    yield ReferenceTarget(f"title:{value}", rank=4 * _READING_RANK, distance_weight=1)


def _series_names(view: DocumentView, value: str) -> list[str]:
    """In the header of PEP 484, `526` is PEP 526."""
    if not value.isdecimal():
        return []
    own = (_NUMBERED.fullmatch(name) for name in view.names)
    return sorted({normalise_name(f"{match[1]} {value}") for match in own if match})
