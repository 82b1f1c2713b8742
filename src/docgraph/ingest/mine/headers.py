"""Headers: front matter and header fields that say how a document stands to others."""

import re
from collections.abc import Iterator
from dataclasses import replace

from docgraph.ingest.mine.claims import Finding, Unresolved, claim
from docgraph.ingest.mine.corpus import Corpus, Sketch, distance
from docgraph.ingest.mine.header_values import values
from docgraph.ingest.mine.links import anchored
from docgraph.ingest.mine.paths import candidates, leads_elsewhere, split_anchor
from docgraph.ingest.parsed import Field, field_name
from docgraph.model.identity import document_of, path_of
from docgraph.model.names import identifiers, normalised

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


def headers(corpus: Corpus) -> Iterator[Finding]:
    """Whatever a value may mean is claimed; the ways of reading it differ in rank."""
    for sketch in corpus.sketches:
        for field in sketch.fields:
            for relation, stated in _stated(field):
                for value in values(stated):
                    yield from _meant(corpus, sketch, relation, value)


def _stated(field: Field) -> Iterator[tuple[str, Field]]:
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
            start = field.start + match.end()
            rest = field.value[match.end() : end]
            yield relation, replace(field, value=rest, start=start, end=start + len(rest))


def _meant(corpus: Corpus, sketch: Sketch, relation: str, value: Field) -> Iterator[Finding]:
    ranks: dict[str, int] = {}
    for node, rank in _linked(corpus, sketch, value.value):
        ranks.setdefault(node, rank)
    for rule, nodes in enumerate(_readings(corpus, sketch, value.value), start=1):
        for node in nodes:
            ranks.setdefault(node, rule * _RULE + distance(sketch.path, path_of(node)))
    if not ranks:
        yield Unresolved(sketch.path, value.line, f"{relation} {value.value}")
    for node, rank in ranks.items():
        if document_of(node) != sketch.id:
            yield claim(sketch, relation, node, value, rank=rank, says=value.value)


def _readings(corpus: Corpus, sketch: Sketch, value: str) -> Iterator[list[str]]:
    """As an id, a name, a number of the document's own series, a title, or names inside."""
    yield [value] if corpus.holds(value) else []
    yield [*corpus.by_name.get(normalised(value), ())]
    yield [node for name in _in_series(sketch, value) for node in corpus.by_name.get(name, ())]
    yield [*corpus.by_title.get(value, ())]
    yield [node for name in identifiers(value) for node in corpus.by_name.get(name, ())]


def _linked(corpus: Corpus, sketch: Sketch, value: str) -> Iterator[tuple[str, int]]:
    """As a path from the file, else from the root."""
    path, anchor = split_anchor(value)
    if leads_elsewhere(value) or not path:
        return
    written = dict.fromkeys((*candidates(sketch.folder, path), *candidates("", path)))
    for rank, candidate in enumerate(written):
        if candidate in corpus.by_path:
            yield anchored(corpus.by_path[candidate], anchor), rank


def _in_series(sketch: Sketch, value: str) -> list[str]:
    """In the header of PEP 484, `526` is PEP 526."""
    if not value.isdecimal():
        return []
    own = (_NUMBERED.fullmatch(name.name) for name in sketch.names if name.node == sketch.id)
    return sorted({normalised(f"{match[1]} {value}") for match in own if match})
