"""Datasets of judged questions: corpus.jsonl or manifests.jsonl, queries.jsonl, qrels.tsv."""

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
    """The input of one ingest."""

    repository: str
    branch: str
    source: Source
    edges: tuple[Relationship, ...]


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """`source` is the document that the question was taken from, hidden from its reader.

    `text` has no white space around it.
    """

    id: str
    text: str
    repository: str
    branch: str
    source: str | None
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Dataset:
    """`held_out` are pairs of documents whose relation would reveal an answer.

    `sources` are the documents that questions were taken from.
    """

    collections: tuple[Collection, ...]
    questions: tuple[JudgedQuestion, ...]
    held_out: frozenset[tuple[str, str]]
    sources: frozenset[str]


def read_dataset(folder: Path, limit: int | None = None) -> Dataset:
    """The first `limit` questions that have a judgement, with all documents."""
    grades = _judgements(folder / "qrels.tsv")
    rows = [row for row in _rows(folder / "queries.jsonl") if str(row["_id"]) in grades][:limit]
    if not rows:
        raise BadInput(f"{folder}: no question has a judgement")
    if (folder / "manifests.jsonl").is_file():
        return _read_snapshots(folder, rows, grades)
    edges = folder / "edges.jsonl"
    relationships = read_jsonl_edges(edges, CORPUS) if edges.is_file() else ()
    held_out = folder / "heldout_edges.jsonl"
    pairs = _rows(held_out) if held_out.is_file() else ()
    corpus = open_jsonl(folder / "corpus.jsonl")
    questions = tuple(_question(row, CORPUS, "main", grades) for row in rows)
    return Dataset(
        collections=(Collection(CORPUS, "main", corpus, relationships),),
        questions=questions,
        held_out=frozenset(
            (document_id(CORPUS, row["source"]), document_id(CORPUS, row["target"]))
            for row in pairs
        ),
        sources=_sources(questions),
    )


def _read_snapshots(
    folder: Path, rows: list[dict[str, Any]], grades: Mapping[str, Mapping[str, int]]
) -> Dataset:
    """Every question has a snapshot of its own, in a branch named after it."""
    by_id = {str(row["_id"]): row for row in rows}
    sources = open_manifests(folder / "manifests.jsonl", folder / "blobs.jsonl.gz", tuple(by_id))
    questions = tuple(
        _question(row, CORPUS, name, grades) for name, row in by_id.items() if name in sources
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
    judgements: defaultdict[str, dict[str, int]] = defaultdict(dict)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if len(fields) != 3:
            raise BadInput(f"{path}:{number}: not three columns: query, document, grade")
        if fields[2].lstrip("-").isdecimal():
            judgements[fields[0]][fields[1]] = int(fields[2])
        elif number > 1:
            raise BadInput(f"{path}:{number}: {fields[2]!r} is not a grade")
    return {name: grades for name, grades in judgements.items() if max(grades.values()) > 0}


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


# Loading a dataset into a store.


ReportProgress = Callable[[Progress], None]
PrincipalFactory = Callable[[frozenset[str]], Principal]


def load_dataset(
    content: ContentService,
    dataset: Dataset,
    principal_with: PrincipalFactory,
    progress: ReportProgress,
    *,
    without: Sequence[str] = (),
    with_edges: bool = True,
) -> None:
    """The source of a question gets a label that the question's reader lacks.

    `without` names miners to switch off; `with_edges` adds the dataset's own edges.
    """

    def rule_for(path: str) -> AccessRule:
        labels = frozenset({path}) & dataset.sources
        return AccessRule(LOCAL, frozenset({LOCAL}), labels)

    for number, collection in enumerate(dataset.collections, start=1):
        content.ingest(
            principal_with(frozenset()),
            collection.source,
            repository=collection.repository,
            branch=collection.branch,
            rule_for=rule_for,
            without=without,
            given=collection.edges if with_edges else (),
            progress=partial(_report, progress, f"ingest {number}/{len(dataset.collections)}"),
        )


def _report(progress: ReportProgress, name: str, now: Progress) -> None:
    progress(replace(now, stage=f"{name} {now.stage}"))
