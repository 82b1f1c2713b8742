"""Headers: front matter and header fields that say how a document stands to others."""

import re
from collections.abc import Iterator
from dataclasses import replace

from docgraph.ingest.mine.claims import Finding, Unresolved, claim
from docgraph.ingest.mine.corpus import Corpus, Sketch, distance
from docgraph.ingest.mine.header_values import values
from docgraph.ingest.mine.links import anchored
from docgraph.ingest.mine.paths import candidates, leads_elsewhere, split_anchor
from docgraph.ingest.parsed import Field
from docgraph.model.identity import document_of, path_of
from docgraph.model.names import identifiers, normalised

_LIFECYCLE = {
    "supersede": "supersedes",
    "supercede": "supersedes",
    "replace": "replaces",
    "obsolete": "obsoletes",
    "update": "updates",
    "amend": "updates",
}
_BY = {"supersedes": "superseded_by", "replaces": "replaced_by"} | {
    "obsoletes": "obsoleted_by",
    "updates": "updated_by",
}
_PLAIN = ("decision_for", "derived_from", "example_of", "explains", "implements", "references")
RELATION_OF = {
    **{f"{verb}s": relation for verb, relation in _LIFECYCLE.items()},
    **{f"{verb}d_by": _BY[relation] for verb, relation in _LIFECYCLE.items()},
    "amended_by": "updated_by",
    **{name: name for name in _PLAIN},
    "requires": "requires",
    "depends_on": "requires",
    "related": "references",
    "see_also": "references",
}
_STATUS = re.compile(
    rf"\b(?P<verb>{'|'.join(_LIFECYCLE)})(?P<form>s|e?d\s+by)\b:?\s*", re.IGNORECASE
)
_NUMBERED = re.compile(r"([a-z]{2,})\d+")
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
    if field.name in RELATION_OF:
        yield RELATION_OF[field.name], field
    elif field.name == "status":
        said = list(_STATUS.finditer(field.value))
        ends = [match.start() for match in said[1:]] + [len(field.value)]
        for match, end in zip(said, ends, strict=True):
            relation = _LIFECYCLE[match["verb"].lower()]
            relation = relation if match["form"].lower() == "s" else _BY[relation]
            start = field.start + match.end()
            rest = field.value[match.end() : end]
            yield relation, replace(field, value=rest, start=start, end=start + len(rest))


def _meant(corpus: Corpus, sketch: Sketch, relation: str, value: Field) -> Iterator[Finding]:
    ranks: dict[str, int] = {}
    for rule, nodes in enumerate(_readings(corpus, sketch, value.value)):
        for place, node in enumerate(nodes):
            # candidates of a path come best first, those of a name by nearness
            within = place if rule == 0 else distance(sketch.path, path_of(node))
            ranks.setdefault(node, rule * _RULE + within)
    if not ranks:
        yield Unresolved(sketch.path, value.line, f"{relation} {value.value}")
    for node, rank in ranks.items():
        if document_of(node) != sketch.id:
            yield claim(sketch, relation, node, value, rank=rank, says=value.value)


def _readings(corpus: Corpus, sketch: Sketch, value: str) -> Iterator[list[str]]:
    """As a path, an id, a name, a number of the document's own series, a title, names inside."""
    path, anchor = split_anchor(value)
    written = () if leads_elsewhere(value) or not path else tuple(candidates(sketch.folder, path))
    rooted = tuple(candidates("", path)) if written else ()
    found = (corpus.by_path.get(candidate) for candidate in (*written, *rooted))
    yield [anchored(target, anchor) for target in found if target is not None]
    yield [value] if corpus.holds(value) else []
    yield [*corpus.by_name.get(normalised(value), ())]
    yield [node for name in _in_series(sketch, value) for node in corpus.by_name.get(name, ())]
    yield [*corpus.by_title.get(value, ())]
    yield [node for name in identifiers(value) for node in corpus.by_name.get(name, ())]


def _in_series(sketch: Sketch, value: str) -> list[str]:
    """In the header of PEP 484, `526` is PEP 526."""
    if not value.isdecimal():
        return []
    own = (_NUMBERED.fullmatch(name.name) for name in sketch.names if name.node == sketch.id)
    return sorted({normalised(f"{match[1]} {value}") for match in own if match})
