"""Judged questions on disk, as people hand them over."""

import gzip
import json
from pathlib import Path

import pytest

from docgraph.evaluation.dataset import list_problems, read_dataset
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceProblem


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [{"_id": name, "title": name, "text": "one"} for name in ("a", "b")]
    lines(tmp_path / "corpus.jsonl", *rows)
    lines(
        tmp_path / "queries.jsonl",
        {"_id": "q1", "text": "first?", "source": "a"},
        {"_id": "q2", "text": "second?"},
        {"_id": "unjudged", "text": "third?"},
    )
    (tmp_path / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tb\t1\nq2\ta\t2\nq2\tb\t0\n"
    )
    return tmp_path


def test_only_judged_questions_are_asked(folder: Path) -> None:
    found = read_dataset(folder)
    assert [question.id for question in found.questions] == ["q1", "q2"]
    assert found.questions[0].source == "a"
    assert found.sources == {"a"}
    assert found.questions[1].grades == {"corpus:a": 2, "corpus:b": 0}
    assert [question.id for question in read_dataset(folder, limit=1).questions] == ["q1"]


def test_given_and_held_out_edges_are_read(folder: Path) -> None:
    lines(folder / "edges.jsonl", {"source": "a", "target": "b", "type": "references"})
    lines(folder / "heldout_edges.jsonl", {"source": "b", "target": "a", "query": "q1"})
    found = read_dataset(folder)
    assert [given.edge.relation for given in found.collections[0].edges] == ["references"]
    assert found.held_out == {("corpus:b", "corpus:a")}


def test_every_question_of_a_set_of_manifests_has_a_snapshot_of_its_own(folder: Path) -> None:
    lines(folder / "queries.jsonl", {"_id": "q1", "text": "first?"}, {"_id": "q2", "text": "2?"})
    (folder / "qrels.tsv").write_text("q1\tx.py\t1\nq2\tx.py\t1\n")
    lines(folder / "manifests.jsonl", {"_id": "q1", "files": {"x.py": "1", "y.py": "gone"}})
    write_blobs(folder, {"_id": "1", "path": "x.py", "text": "x = 1\n"})
    found = read_dataset(folder)
    assert [question.branch for question in found.questions] == ["q1"]
    assert [problem.reason for problem in found.problems] == [
        "its blob gone is missing",
        "question 'q2': no manifest has its `_id`",
    ]
    (collection,) = found.collections
    file, problem = collection.source.files()
    assert isinstance(file, SourceFile)
    assert collection.source.read(file) == b"x = 1\n"
    assert "missing" in str(problem)


def write_blobs(folder: Path, *rows: object) -> None:
    with gzip.open(folder / "blobs.jsonl.gz", "wt") as blobs:
        blobs.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("manifest", "blob"),
    [
        ({"_id": "q1", "files": {"x.py": 1}}, {"_id": "1", "text": "x"}),
        ({"_id": "q1", "files": {"x.py": "1"}}, {"_id": "1", "text": None}),
        ({"_id": "q1", "files": {"x.py": []}}, {"_id": "1", "text": "x"}),
        ({"_id": "q1"}, {"_id": "1", "text": "x"}),
    ],
)
def test_manifests_of_other_types_are_refused(folder: Path, manifest: object, blob: object) -> None:
    lines(folder / "manifests.jsonl", manifest)
    write_blobs(folder, blob)
    with pytest.raises(BadInput, match=r"manifests\.jsonl or blobs\.jsonl\.gz"):
        read_dataset(folder)


def test_damaged_blobs_are_refused(folder: Path) -> None:
    lines(folder / "manifests.jsonl", {"_id": "q1", "files": {"x.py": "1"}})
    write_blobs(folder, {"_id": "1", "text": "x" * 99})
    written = (folder / "blobs.jsonl.gz").read_bytes()
    (folder / "blobs.jsonl.gz").write_bytes(written[:24] + b"\xff" * 9 + written[33:])
    with pytest.raises(BadInput, match=r"blobs\.jsonl\.gz"):
        read_dataset(folder)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("qrels.tsv", "q1\tonly two\n", r"qrels\.tsv:1: not three columns"),
        ("qrels.tsv", "q1\ta\t1\n\nq1\tb\tgood\n", r"qrels\.tsv:3: 'good' is not a grade"),
        ("queries.jsonl", "not json\n", r"queries\.jsonl:1: not JSON"),
        ("queries.jsonl", "[1]\n", r"queries\.jsonl:1: not a JSON object"),
        ("qrels.tsv", "other\ta\t1\n", "question 'other' is not in queries.jsonl"),
        ("qrels.tsv", "q1\ta\t0\n", "no question has a judgement"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(
    folder: Path, name: str, text: str, message: str
) -> None:
    (folder / name).write_text(text)
    with pytest.raises(BadInput, match=message):
        read_dataset(folder)


def test_an_unknown_document_that_is_not_relevant_changes_nothing(folder: Path) -> None:
    (folder / "qrels.tsv").write_text("q1\tb\t1\nq1\tgone\t0\n")
    found = read_dataset(folder)
    assert found.questions[0].grades == {"corpus:b": 1}
    assert found.problems == ()


def test_ids_may_be_whole_numbers(folder: Path) -> None:
    lines(folder / "corpus.jsonl", {"_id": 7, "text": "one"}, {"_id": 8, "text": "two"})
    lines(folder / "queries.jsonl", {"_id": 1, "text": "first?", "source": 8})
    lines(folder / "heldout_edges.jsonl", {"source": 8, "target": 7})
    (folder / "qrels.tsv").write_text("1\t7\t1\n")
    found = read_dataset(folder)
    assert [(q.id, q.source, dict(q.grades)) for q in found.questions] == [
        ("1", "8", {"corpus:7": 1})
    ]
    assert found.held_out == {("corpus:8", "corpus:7")}


def test_a_document_that_cannot_be_read_is_reported(folder: Path) -> None:
    with (folder / "corpus.jsonl").open("a") as file:
        file.write("{}\n")
    (problem,) = read_dataset(folder).problems
    assert problem.path == f"{folder}/corpus.jsonl:3"


def test_many_problems_are_counted_after_the_first(folder: Path) -> None:
    problems = [SourceProblem(f"queries.jsonl:{n}", "no text") for n in range(1, 31)]
    listed = list(list_problems(problems))
    assert (listed[0], listed[-1]) == ("queries.jsonl:1: no text", "and 10 more")
    assert len(listed) == 21


def test_a_folder_without_judgements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"qrels\.tsv: cannot be read"):
        read_dataset(tmp_path)
