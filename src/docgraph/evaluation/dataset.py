"""Judged questions on disk: corpus.jsonl or manifests of snapshots, queries.jsonl, qrels.tsv."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from docgraph.engine.content import ContentService
from docgraph.ingest.result import Progress
from docgraph.model.access import LOCAL, AccessRule, Principal
from docgraph.model.edge import Relationship
from docgraph.model.errors import BadInput
from docgraph.model.node import document_id
from docgraph.ports.source import Source
from docgraph.wiring.build import open_jsonl, open_manifests, read_jsonl_edges

CORPUS = "corpus"


@dataclass(frozen=True, slots=True)
class Collection:
    """What one ingest takes in."""

    repository: str
    branch: str
    source: Source
    given: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """`source` is a document that the asker must not see: the question was taken out of it.

    `text` is without the white space around it, as it is asked.
    """

    id: str
    text: str
    repository: str
    branch: str
    source: str | None
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Dataset:
    """`held_out` are pairs of documents whose relation would give an answer away.

    `sources` are the documents that some question was taken out of.
    """

    collections: tuple[Collection, ...]
    questions: tuple[JudgedQuestion, ...]
    held_out: frozenset[tuple[str, str]]
    sources: frozenset[str]


def read_dataset(folder: Path, limit: int | None = None) -> Dataset:
    """The first `limit` questions that have a judgement, with all documents they may need."""
    grades = _judgements(folder / "qrels.tsv")
    rows = [row for row in _rows(folder / "queries.jsonl") if str(row["_id"]) in grades][:limit]
    if not rows:
        raise BadInput(f"{folder}: no question has a judgement")
    if (folder / "manifests.jsonl").is_file():
        return _snapshots(folder, rows, grades)
    edges = folder / "edges.jsonl"
    given = read_jsonl_edges(edges, CORPUS) if edges.is_file() else ()
    held_out = folder / "heldout_edges.jsonl"
    pairs = _rows(held_out) if held_out.is_file() else ()
    questions = tuple(_question(row, CORPUS, "main", grades) for row in rows)
    return Dataset(
        collections=(Collection(CORPUS, "main", open_jsonl(folder / "corpus.jsonl"), given),),
        questions=questions,
        held_out=frozenset(
            (document_id(CORPUS, row["source"]), document_id(CORPUS, row["target"]))
            for row in pairs
        ),
        sources=_sources(questions),
    )


def _snapshots(
    folder: Path, rows: list[dict[str, Any]], grades: Mapping[str, Mapping[str, int]]
) -> Dataset:
    """Every question has a snapshot of its own: a branch named after it."""
    wanted = {str(row["_id"]): row for row in rows}
    sources = open_manifests(folder / "manifests.jsonl", folder / "blobs.jsonl.gz", tuple(wanted))
    questions = tuple(
        _question(row, CORPUS, name, grades) for name, row in wanted.items() if name in sources
    )
    return Dataset(
        collections=tuple(Collection(CORPUS, name, s, ()) for name, s in sources.items()),
        questions=questions,
        held_out=frozenset(),
        sources=_sources(questions),
    )


def _sources(questions: tuple[JudgedQuestion, ...]) -> frozenset[str]:
    return frozenset(question.source for question in questions if question.source)


def _question(
    row: dict[str, Any], repository: str, branch: str, grades: Mapping[str, Mapping[str, int]]
) -> JudgedQuestion:
    name = str(row["_id"])
    return JudgedQuestion(
        id=name,
        text=str(row["text"]).strip(),
        repository=repository,
        branch=branch,
        source=row.get("source"),
        grades={document_id(repository, path): g for path, g in grades[name].items()},
    )


def _judgements(path: Path) -> Mapping[str, Mapping[str, int]]:
    """Questions with at least one relevant document; a first line without a number is a header."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if len(fields) != 3:
            raise BadInput(f"{path}:{number}: not three columns: query, document, grade")
        if fields[2].lstrip("-").isdecimal():
            found[fields[0]][fields[1]] = int(fields[2])
        elif number > 1:
            raise BadInput(f"{path}:{number}: {fields[2]!r} is not a grade")
    return {name: grades for name, grades in found.items() if max(grades.values()) > 0}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise BadInput(f"{path}:{number}: not a JSON object")
                yield row
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: not JSON lines: {error}") from error


# Filling a store with what a judged set holds.


Report = Callable[[Progress], None]
Login = Callable[[frozenset[str]], Principal]


def load_dataset(
    content: ContentService,
    dataset: Dataset,
    login: Login,
    progress: Report,
    *,
    without: Sequence[str] = (),
    given: bool = True,
) -> None:
    """A document that a question was taken out of carries a label that its asker lacks.

    `without` names miners to switch off, `given` tells whether the set's own edges are taken in.
    """

    def rule_for(path: str) -> AccessRule:
        labels = frozenset({path}) & dataset.sources
        return AccessRule(LOCAL, frozenset({LOCAL}), labels)

    for number, collection in enumerate(dataset.collections, start=1):
        content.ingest(
            login(frozenset()),
            collection.source,
            repository=collection.repository,
            branch=collection.branch,
            rule_for=rule_for,
            without=without,
            given=collection.given if given else (),
            progress=partial(_tell, progress, f"ingest {number}/{len(dataset.collections)}"),
        )


def _tell(progress: Report, name: str, now: Progress) -> None:
    progress(replace(now, stage=f"{name} {now.stage}"))
