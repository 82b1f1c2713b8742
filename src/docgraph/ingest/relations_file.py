"""RelationsFile edges: the relationships that people wrote down in a source's `relations.yaml`."""

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from docgraph.model.edge import RELATIONS, Edge, EdgeEvidence, Relationship, inverse
from docgraph.model.link import merge_edges
from docgraph.model.node import document_id
from docgraph.model.reference import UnresolvedReference
from docgraph.model.validation import suggest
from docgraph.ports.source import SourceProblem
from docgraph.ports.writes import DocumentWriter, EdgeWriter
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

RELATIONS_FILE = "relations.yaml"
CURATED = "curated"
LARGEST = 1_000_000
KEYS = ("from", "relation", "to", "note")
_EXAMPLE = "- {from: docs/a.md, relation: explains, to: src/b.py}"


@dataclass(frozen=True, slots=True)
class RelationsFile:
    """What can be used, in the file's order, and what cannot, each with its line."""

    relationships: tuple[Relationship, ...]
    problems: tuple[SourceProblem, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    source: str
    relation: str
    targets: tuple[Line, ...]
    note: str


def curated(data: bytes, repository: str) -> RelationsFile:
    """A bad entry costs no other; a file that is not YAML is one problem."""
    found: dict[Edge, Relationship] = {}
    problems: list[SourceProblem] = []
    for told in _read(data, repository):
        if isinstance(told, BadYaml):
            problems.append(SourceProblem(f"{RELATIONS_FILE}:{told.line}", told.reason))
        elif told.edge in found:
            place, first = told.evidence[0], found[told.edge].evidence[0]
            problems.append(
                SourceProblem(
                    f"{RELATIONS_FILE}:{place.line}", f"stands already in line {first.line}"
                )
            )
        else:
            found[told.edge] = told
    return RelationsFile(tuple(found.values()), tuple(problems))


def node_id(end: str, repository: str) -> str:
    """A full id stays as it is; a path, maybe with `#slug` or `::Name`, is in this repository."""
    cut = min((at for at in map(end.find, "#:") if at >= 0), default=len(end))
    path, inner = end[:cut], end[cut:]
    if inner.startswith(":") and not inner.startswith("::"):
        if not path or len(inner) == 1 or inner[1] == "#":
            raise ValueError(f"{end!r} is not an id; ids are `repository:path`")
        return end
    tidy = posixpath.normpath(path) if path else ""
    if tidy in {"", "."} or tidy.startswith(("../", "/")) or tidy == "..":
        raise ValueError(f"{end!r} names no file in this repository; paths begin at its root")
    return document_id(repository, tidy) + inner


def _read(data: bytes, repository: str) -> Iterator[Relationship | BadYaml]:
    try:
        entries = _entries(data)
    except BadYaml as error:
        yield error
        return
    for line in entries:
        try:
            entry = _entry(line, repository)
        except BadYaml as error:
            yield error
            continue
        for target in entry.targets:
            try:
                yield _relationship(entry, target, repository)
            except BadYaml as error:
                yield error


def _entries(data: bytes) -> list[Line]:
    if len(data) > LARGEST:
        raise BadYaml(1, f"takes at most {LARGEST:,} bytes, this has {len(data):,}")
    entries = yaml_lines(data).value
    if not isinstance(entries, list | None):
        raise BadYaml(1, f"not a list; an entry looks like {_EXAMPLE}")
    return entries or []


def _entry(line: Line, repository: str) -> _Entry:
    keys = line.value
    if not isinstance(keys, dict):
        raise BadYaml(line.number, f"not an entry; one looks like {_EXAMPLE}")
    if unknown := next((key for key in keys if key not in KEYS), None):
        where = keys[unknown].number
        raise BadYaml(where, f"no key is called {unknown!r}; {suggest(unknown, KEYS)}")
    if missing := [f"`{key}`" for key in KEYS[:3] if key not in keys]:
        told = " and ".join(missing)
        raise BadYaml(line.number, f"{told} missing; an entry looks like {_EXAMPLE}")
    relation = _text("relation", keys["relation"])
    if relation not in RELATIONS:
        fitting = suggest(relation, RELATIONS)
        raise BadYaml(keys["relation"].number, f"no relation is called {relation!r}; {fitting}")
    targets = keys["to"].value if isinstance(keys["to"].value, list) else [keys["to"]]
    if not targets:
        raise BadYaml(keys["to"].number, "`to` names nothing")
    note = " ".join(_text("note", keys["note"]).split()) if "note" in keys else ""
    return _Entry(_end("from", keys["from"], repository), relation, tuple(targets), note)


def _relationship(entry: _Entry, target: Line, repository: str) -> Relationship:
    edge = Edge(entry.source, entry.relation, _end("to", target, repository))
    if edge.source == edge.target:
        raise BadYaml(target.number, "leads to itself")
    says = entry.note or f"{entry.relation} {target.value}"
    evidence = EdgeEvidence(RELATIONS_FILE, target.number, 0, 0, 0, says)
    return Relationship(edge, (CURATED,), (evidence,))


def _end(key: str, line: Line, repository: str) -> str:
    try:
        return node_id(_text(key, line), repository)
    except ValueError as error:
        raise BadYaml(line.number, f"`{key}`: {error}") from error


def _text(key: str, line: Line) -> str:
    if not isinstance(line.value, str) or not line.value.strip():
        raise BadYaml(line.number, f"`{key}` takes text; where YAML sees none, put it in quotes")
    return line.value.strip()


# Given edges: those that came with a corpus, or that people wrote down in relations.yaml.


def take_given(
    documents: DocumentWriter, edges: EdgeWriter, given: Iterable[Relationship]
) -> tuple[UnresolvedReference, ...]:
    """An edge with an end that the snapshot does not hold is unresolved, and never dangling."""
    told = tuple(given)
    held = documents.existing_nodes(
        end for found in told for end in (found.edge.source, found.edge.target)
    )
    kept: list[Relationship] = []
    unresolved: list[UnresolvedReference] = []
    for found in told:
        missing = [end for end in (found.edge.source, found.edge.target) if end not in held]
        if missing:
            place = found.evidence[0] if found.evidence else None
            where = (place.path, place.line) if place else ("", 0)
            unresolved.extend(UnresolvedReference(*where, end) for end in missing)
        else:
            kept.append(_unnumbered(found))
    edges.replace_imported(merge_edges(with_inverses(kept)))
    return tuple(sorted(set(unresolved)))


def _unnumbered(found: Relationship) -> Relationship:
    """Without lines: they would tell what stands above between documents that are hidden."""
    return replace(found, evidence=tuple(replace(place, line=0) for place in found.evidence))


def with_inverses(relationships: Iterable[Relationship]) -> Iterator[Relationship]:
    """Lifecycle relations are stored both ways, so that old leads to new."""
    for found in relationships:
        yield found
        turned = inverse(found.edge)
        if turned is not None:
            shown = tuple(replace(place, start=0, end=0, rank=0) for place in found.evidence)
            yield Relationship(turned, found.origins, shown)
