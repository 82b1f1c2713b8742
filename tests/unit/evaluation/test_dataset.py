"""Judged questions on disk, as people hand them over."""

import gzip
import json
from pathlib import Path

import pytest

from docgraph.evaluation.dataset import read_dataset
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines(tmp_path / "corpus.jsonl", {"_id": "a", "title": "A", "text": "one"})
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
    lines(folder / "manifests.jsonl", {"_id": "q1", "files": {"x.py": "1", "y.py": "gone"}})
    with gzip.open(folder / "blobs.jsonl.gz", "wt") as blobs:
        blobs.write(json.dumps({"_id": "1", "path": "x.py", "text": "x = 1\n"}) + "\n")
    found = read_dataset(folder)
    assert [question.branch for question in found.questions] == ["q1"]
    (collection,) = found.collections
    file, problem = collection.source.files()
    assert isinstance(file, SourceFile)
    assert collection.source.read(file) == b"x = 1\n"
    assert "missing" in str(problem)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qrels.tsv", "q1\tonly two\n"),
        ("qrels.tsv", "q1\ta\t1\nq1\tb\tgood\n"),
        ("queries.jsonl", "not json\n"),
        ("queries.jsonl", "[1]\n"),
        ("qrels.tsv", "other\ta\t1\n"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(BadInput, match=name if "other" not in text else "no question"):
        read_dataset(folder)


def test_a_folder_without_judgements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"qrels\.tsv: cannot be read"):
        read_dataset(tmp_path)
