"""Stated edges: those of a source's `relations.yaml`, and those that come with a corpus."""

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
MAX_FILE_BYTES = 1_000_000
KEYS = ("from", "relation", "to", "note")
_EXAMPLE = "- {from: docs/a.md, relation: explains, to: src/b.py}"


@dataclass(frozen=True, slots=True)
class RelationsFile:
    """Its edges in the order of the file, and its problems, each with its line."""

    relationships: tuple[Relationship, ...]
    problems: tuple[SourceProblem, ...]


@dataclass(frozen=True, slots=True)
class _RelationEntry:
    source: str
    relation: str
    targets: tuple[Line, ...]
    note: str


def parse_relations_file(data: bytes, repository: str) -> RelationsFile:
    """A bad entry does not affect others; a file that is not YAML is one problem."""
    relationships: dict[Edge, Relationship] = {}
    problems: list[SourceProblem] = []
    for result in _read_relationships(data, repository):
        if isinstance(result, BadYaml):
            problems.append(SourceProblem(f"{RELATIONS_FILE}:{result.line}", result.reason))
        elif result.edge in relationships:
            line = result.evidence[0].line
            first = relationships[result.edge].evidence[0].line
            reason = f"stands already in line {first}"
            problems.append(SourceProblem(f"{RELATIONS_FILE}:{line}", reason))
        else:
            relationships[result.edge] = result
    return RelationsFile(tuple(relationships.values()), tuple(problems))


def node_id(end: str, repository: str) -> str:
    """A full id is not changed; a path, maybe with `#slug` or `::Name`, is of this repository."""
    cut = min((at for at in map(end.find, "#:") if at >= 0), default=len(end))
    path, inner = end[:cut], end[cut:]
    if inner.startswith(":") and not inner.startswith("::"):
        if not path or len(inner) == 1 or inner[1] == "#":
            raise ValueError(f"{end!r} is not an id; ids are `repository:path`")
        return end
    normal = posixpath.normpath(path) if path else ""
    if normal in {"", "."} or normal.startswith(("../", "/")) or normal == "..":
        raise ValueError(f"{end!r} names no file in this repository; paths begin at its root")
    return document_id(repository, normal) + inner


def _read_relationships(data: bytes, repository: str) -> Iterator[Relationship | BadYaml]:
    try:
        entries = _parse_entries(data)
    except BadYaml as error:
        yield error
        return
    for line in entries:
        try:
            entry = _parse_entry(line, repository)
        except BadYaml as error:
            yield error
            continue
        for target in entry.targets:
            try:
                yield _make_relationship(entry, target, repository)
            except BadYaml as error:
                yield error


def _parse_entries(data: bytes) -> list[Line]:
    if len(data) > MAX_FILE_BYTES:
        raise BadYaml(1, f"takes at most {MAX_FILE_BYTES:,} bytes, this has {len(data):,}")
    entries = yaml_lines(data).value
    if not isinstance(entries, list | None):
        raise BadYaml(1, f"not a list; an entry looks like {_EXAMPLE}")
    return entries or []


def _parse_entry(line: Line, repository: str) -> _RelationEntry:
    keys = line.value
    if not isinstance(keys, dict):
        raise BadYaml(line.number, f"not an entry; one looks like {_EXAMPLE}")
    if unknown := next((key for key in keys if key not in KEYS), None):
        number = keys[unknown].number
        raise BadYaml(number, f"no key is called {unknown!r}; {suggest(unknown, KEYS)}")
    if missing := [f"`{key}`" for key in KEYS[:3] if key not in keys]:
        names = " and ".join(missing)
        raise BadYaml(line.number, f"{names} missing; an entry looks like {_EXAMPLE}")
    relation = _parse_text("relation", keys["relation"])
    if relation not in RELATIONS:
        fitting = suggest(relation, RELATIONS)
        raise BadYaml(keys["relation"].number, f"no relation is called {relation!r}; {fitting}")
    targets = keys["to"].value if isinstance(keys["to"].value, list) else [keys["to"]]
    if not targets:
        raise BadYaml(keys["to"].number, "`to` names nothing")
    note = " ".join(_parse_text("note", keys["note"]).split()) if "note" in keys else ""
    return _RelationEntry(
        _parse_end("from", keys["from"], repository), relation, tuple(targets), note
    )


def _make_relationship(entry: _RelationEntry, target: Line, repository: str) -> Relationship:
    edge = Edge(entry.source, entry.relation, _parse_end("to", target, repository))
    if edge.source == edge.target:
        raise BadYaml(target.number, "leads to itself")
    text = entry.note or f"{entry.relation} {target.value}"
    evidence = EdgeEvidence(RELATIONS_FILE, target.number, 0, 0, 0, text)
    return Relationship(edge, (CURATED,), (evidence,))


def _parse_end(key: str, line: Line, repository: str) -> str:
    try:
        return node_id(_parse_text(key, line), repository)
    except ValueError as error:
        raise BadYaml(line.number, f"`{key}`: {error}") from error


def _parse_text(key: str, line: Line) -> str:
    if not isinstance(line.value, str) or not line.value.strip():
        raise BadYaml(line.number, f"`{key}` takes text; where YAML sees none, put it in quotes")
    return line.value.strip()


def write_stated_edges(
    documents: DocumentWriter, edges: EdgeWriter, relationships: Iterable[Relationship]
) -> tuple[UnresolvedReference, ...]:
    """An edge with an end that is not in the snapshot is not written, but returned."""
    stated = tuple(relationships)
    existing = documents.existing_nodes(
        end for one in stated for end in (one.edge.source, one.edge.target)
    )
    complete: list[Relationship] = []
    unresolved: list[UnresolvedReference] = []
    for one in stated:
        missing = [end for end in (one.edge.source, one.edge.target) if end not in existing]
        if missing:
            evidence = one.evidence[0] if one.evidence else None
            location = (evidence.path, evidence.line) if evidence else ("", 0)
            unresolved.extend(UnresolvedReference(*location, end) for end in missing)
        else:
            complete.append(_without_lines(one))
    edges.replace_imported(merge_edges(add_inverses(complete)))
    return tuple(sorted(set(unresolved)))


def _without_lines(relationship: Relationship) -> Relationship:
    """A line number would show how many edges between hidden documents precede it."""
    evidence = tuple(replace(one, line=0) for one in relationship.evidence)
    return replace(relationship, evidence=evidence)


def add_inverses(relationships: Iterable[Relationship]) -> Iterator[Relationship]:
    """Lifecycle relations are stored in both directions, so that old leads to new."""
    for one in relationships:
        yield one
        inverse_edge = inverse(one.edge)
        if inverse_edge is not None:
            evidence = tuple(replace(each, start=0, end=0, rank=0) for each in one.evidence)
            yield Relationship(inverse_edge, one.origins, evidence)
