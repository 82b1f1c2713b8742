"""Headers: front matter and header fields that say how a document stands to others."""

import re
from collections.abc import Iterator
from dataclasses import replace

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.miners.links import anchors, candidate_paths, is_external, split_anchor
from docgraph.ingest.parsed_file import HeaderField, field_name
from docgraph.model.identifiers import identifiers, normalise_name
from docgraph.model.node import document_of, encode, path_of
from docgraph.model.reference import Reference

# The single values in a header's field: links, and what commas stand between.


_LINK = re.compile(
    r"\[[^\]\n]*\]\(<?(?P<markdown>[^)\s>]+)[^)\n]*\)"
    r"|(?::[\w:+-]+:)?`[^`<\n]*<(?P<rst>[^`>\n]+)>`_{0,2}"
)
_BETWEEN = re.compile(r"[,;]|\s+(?:and|&)\s+")
_WRAPPING = " \t\"'`*[](){}<>."
_NOTHING = frozenset({"", "-", "--", "n/a", "na", "none", "null", "~", "nothing", "and"})


def values(field: HeaderField) -> Iterator[HeaderField]:
    """Each with its own place. A link stands for its target; `none` is no value."""
    for match in _LINK.finditer(field.value):
        target = match["markdown"] or match["rst"]
        yield _part(field, match.start(), match.end(), target.strip())
    rest = _LINK.sub(lambda match: "," * len(match.group()), field.value)
    ends = [*(match.span() for match in _BETWEEN.finditer(rest)), (len(rest), len(rest))]
    start = 0
    for end, following in ends:
        value = rest[start:end].strip(_WRAPPING)
        if value.casefold() not in _NOTHING:
            place = rest.index(value, start)
            yield _part(field, place, place + len(value), value)
        start = following


def _part(field: HeaderField, start: int, end: int, value: str) -> HeaderField:
    """Where a value was unquoted or unfolded, its place is the whole field's."""
    if field.end - field.start != len(field.value):
        return replace(field, value=value)
    return replace(field, value=value, start=field.start + start, end=field.start + end)


HEADERS = "headers"

# What people write → the relation it states; a status says it in a sentence.
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
RELATION_OF = {field_name(words): name for words, name in _LIFECYCLE.items()} | _PLAIN
_STATUS = re.compile(rf"(?i)\b(?P<words>{'|'.join(_LIFECYCLE)})\b:?\s*".replace(" by", r"\s+by"))
_NUMBERED = re.compile(r"([a-z]{2,})\d+")
_LONGEST = 2_000  # a value longer than this is prose
_RULE = 1_000  # a better way of reading a value outranks every distance
_Reading = tuple[str, str, bool, int]  # key, inner, strict, rank


def headers(sketch: DocumentView) -> Iterator[Reference]:
    """Whatever a value may mean is claimed; the ways of reading it differ in rank."""
    for field in sketch.parsed.fields:
        for relation, stated in _stated(field):
            for value in values(stated):
                yield from _meant(sketch, relation, value)


def _stated(field: HeaderField) -> Iterator[tuple[str, HeaderField]]:
    """The relation that a field states, with the part of it that names the other end."""
    if len(field.value) > _LONGEST:
        return
    if field.name in RELATION_OF:
        yield RELATION_OF[field.name], field
    elif field.name == "status":
        said = list(_STATUS.finditer(field.value))
        ends = [*(match.start() for match in said[1:]), len(field.value)]
        for match, end in zip(said, ends, strict=False):
            relation = RELATION_OF[field_name(match["words"])]
            rest = replace(field, value=field.value[match.end() : end])
            if field.end > field.start:  # a field of a page's head has no place in its text
                start = field.start + match.end()
                rest = replace(rest, start=start, end=start + len(rest.value))
            yield relation, rest


def _meant(sketch: DocumentView, relation: str, value: HeaderField) -> Iterator[Reference]:
    """As a path, else an id, a name, a number of the document's own series, a title, or names
    inside the value."""
    for key, inner, strict, rank in (
        *_as_path(sketch, value.value),
        *_as_name(sketch, value.value),
    ):
        yield sketch.claim(
            HEADERS,
            relation,
            key,
            value,
            says=value.value,
            inner=inner,
            strict=strict,
            rank=rank,
            near=1 if rank >= _RULE else 0,
        )


def _as_path(sketch: DocumentView, value: str) -> Iterator[_Reading]:
    """From the file, else from the root; or behind the repository's name, as ids have it."""
    repository, _, rest = value.partition(":")
    if repository == encode(sketch.repository) and rest:
        root = document_of(value)
        yield f"path:{path_of(root)}", value.removeprefix(root), True, _RULE
    path, anchor = split_anchor(value)
    if is_external(value) or not path:
        return
    seen: set[str] = set()
    for place, folder in enumerate((sketch.folder, "")):
        for meant, rank in candidate_paths(folder, path):
            if meant not in seen:
                seen.add(meant)
                for inner, strict in anchors(anchor):
                    yield f"path:{meant}", inner, strict, place * (_RULE // 2) + rank


def _as_name(sketch: DocumentView, value: str) -> Iterator[_Reading]:
    """The title comes before names inside the value, and behind the value as one name."""
    ways = ((2, [normalise_name(value)]), (3, _in_series(sketch, value)), (5, identifiers(value)))
    for way, names in ways:
        for name in names:
            yield f"doc:{name}", "", False, way * _RULE
            yield f"code:{name}", "", False, way * _RULE
    yield f"title:{value}", "", False, 4 * _RULE


def _in_series(sketch: DocumentView, value: str) -> list[str]:
    """In the header of PEP 484, `526` is PEP 526."""
    if not value.isdecimal():
        return []
    own = (_NUMBERED.fullmatch(name) for name in sketch.names)
    return sorted({normalise_name(f"{match[1]} {value}") for match in own if match})
