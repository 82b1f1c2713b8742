"""Datasets of judged questions: corpus.jsonl or manifests.jsonl, queries.jsonl, qrels.tsv."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from docgraph.engine.content import ContentService
from docgraph.evaluation.questions import QuestionRow, read_id, read_questions, read_rows
from docgraph.ingest.progress import Progress, ProgressEvent, ReportProgress
from docgraph.model.access import LOCAL, AccessRule, Principal
from docgraph.model.edge import Relationship
from docgraph.model.errors import BadInput, DocgraphError
from docgraph.model.node import document_id
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.wiring.build import open_jsonl, open_manifests, read_jsonl_edges

CORPUS = "corpus"
MAX_SHOWN = 20  # problems


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

    `text` has no white space around it; `position` is that of its row, `path:line`.
    """

    id: str
    text: str
    repository: str
    branch: str
    source: str | None
    grades: Mapping[str, int]
    position: str
    truncated: bool

    def problem(self, error: DocgraphError) -> SourceProblem:
        return SourceProblem(self.position, f"question {self.id!r}: {error}")


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """Questions of the file: those evaluated, and the others by reason.

    `truncated` ones are evaluated by their first MAX_QUESTION_CHARACTERS characters.
    """

    total: int
    evaluated: int
    left_out: int
    unjudged: int
    beyond_limit: int
    truncated: int


@dataclass(frozen=True, slots=True)
class Dataset:
    """`held_out` are pairs of documents whose relation would reveal an answer.

    `sources` are the documents that questions were taken from. `problems` name rows that are left
    out: questions that cannot be evaluated, and documents that cannot be read.
    """

    collections: tuple[Collection, ...]
    questions: tuple[JudgedQuestion, ...]
    held_out: frozenset[tuple[str, str]]
    sources: frozenset[str]
    counts: QuestionCounts
    problems: tuple[SourceProblem, ...]


def read_dataset(folder: Path, limit: int | None = None) -> Dataset:
    """The first `limit` questions that can be evaluated, with all documents.

    Checks everything that can be checked without an ingest; it is an error if no question is left.
    """
    file = read_questions(folder)
    if not file.rows:
        raise _no_question(folder, file.problems)
    snapshots = (folder / "manifests.jsonl").is_file()
    collections = _snapshots(folder, file.rows) if snapshots else {"main": _corpus(folder)}
    held_out = folder / "heldout_edges.jsonl"
    pairs = _held_out(held_out) if held_out.is_file() and not snapshots else frozenset()
    paths, problems = _contents(folder, collections)
    questions: list[JudgedQuestion] = []
    for row in file.rows:
        branch = row.id if snapshots else "main"
        try:
            questions.append(_judged(row, branch, paths.get(branch)))
        except BadInput as error:
            problems.append(SourceProblem(row.position, f"question {row.id!r}: {error}"))
    if not questions:
        raise _no_question(folder, (*file.problems, *problems))
    evaluated = questions[:limit]
    branches = {question.branch for question in evaluated}
    return Dataset(
        collections=tuple(one for one in collections.values() if one.branch in branches),
        questions=tuple(evaluated),
        held_out=pairs,
        sources=frozenset(question.source for question in evaluated if question.source),
        counts=QuestionCounts(
            total=file.total,
            evaluated=len(evaluated),
            left_out=file.total - file.unjudged - len(questions),
            unjudged=file.unjudged,
            beyond_limit=len(questions) - len(evaluated),
            truncated=sum(question.truncated for question in evaluated),
        ),
        problems=(*file.problems, *problems),
    )


def _no_question(folder: Path, problems: Sequence[SourceProblem]) -> BadInput:
    if not problems:
        return BadInput(f"{folder}: no question has a judgement")
    return BadInput(f"{folder}: no question can be evaluated: {'; '.join(list_problems(problems))}")


def list_problems(problems: Sequence[SourceProblem]) -> Iterator[str]:
    """A line for each of the first ones, and how many more there are."""
    for one in problems[:MAX_SHOWN]:
        yield f"{one.path}: {one.reason}"
    if len(problems) > MAX_SHOWN:
        yield f"and {len(problems) - MAX_SHOWN} more"


def _corpus(folder: Path) -> Collection:
    edges = folder / "edges.jsonl"
    relationships = read_jsonl_edges(edges, CORPUS) if edges.is_file() else ()
    return Collection(CORPUS, "main", open_jsonl(folder / "corpus.jsonl"), relationships)


def _snapshots(folder: Path, rows: Sequence[QuestionRow]) -> dict[str, Collection]:
    """Every question has a snapshot of its own, in a branch named after it."""
    names = tuple(row.id for row in rows)
    sources = open_manifests(folder / "manifests.jsonl", folder / "blobs.jsonl.gz", names)
    return {name: Collection(CORPUS, name, source, ()) for name, source in sources.items()}


def _contents(
    folder: Path, collections: Mapping[str, Collection]
) -> tuple[dict[str, frozenset[str]], list[SourceProblem]]:
    """The paths of every collection, and what of it cannot be read."""
    paths: dict[str, frozenset[str]] = {}
    problems: list[SourceProblem] = []
    for branch, collection in collections.items():
        files = tuple(collection.source.files())
        paths[branch] = frozenset(one.path for one in files if isinstance(one, SourceFile))
        problems += [
            SourceProblem(f"{folder}/{one.path}", one.reason)
            for one in files
            if isinstance(one, SourceProblem)
        ]
    return paths, problems


def _judged(row: QuestionRow, branch: str, paths: frozenset[str] | None) -> JudgedQuestion:
    """BadInput where a document is not there, without which a measure would be wrong."""
    if paths is None:
        raise BadInput("no manifest has its `_id`")
    for path, grade in row.grades.items():
        if grade > 0 and path not in paths:
            raise BadInput(f"the relevant document {path!r} is not in the corpus")
    if row.source is not None and row.source not in paths:
        raise BadInput(f"its source {row.source!r} is not in the corpus")
    return JudgedQuestion(
        id=row.id,
        text=row.text,
        repository=CORPUS,
        branch=branch,
        source=row.source,
        grades={document_id(CORPUS, path): g for path, g in row.grades.items() if path in paths},
        position=row.position,
        truncated=row.truncated,
    )


def _held_out(path: Path) -> frozenset[tuple[str, str]]:
    pairs: set[tuple[str, str]] = set()
    for position, row in read_rows(path):
        source, target = read_id(row.get("source")), read_id(row.get("target"))
        if source is None or target is None:
            raise BadInput(f"{position}: `source` and `target` are the `_id`s of two documents")
        pairs.add((document_id(CORPUS, source), document_id(CORPUS, target)))
    return frozenset(pairs)


# Loading a dataset into a store.


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


def _report(progress: ReportProgress, name: str, now: ProgressEvent) -> None:
    if isinstance(now, Progress):
        progress(replace(now, phase=f"{name} {now.phase}"))
