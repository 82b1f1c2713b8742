"""A corpus in JSON lines is a source, and its edges are imported."""

import json
from pathlib import Path

import pytest

from docgraph.adapters.sources.jsonl import JsonlSource, read_edges
from docgraph.model.edge import Edge, EdgeEvidence
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceProblem


def lines(file: Path, *rows: object) -> Path:
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return file


def test_each_row_is_a_document_with_its_id_as_path(tmp_path: Path) -> None:
    rows = [{"_id": "b", "title": "Bee", "text": "büzz"}, {"_id": 7, "title": "", "text": "x"}]
    source = JsonlSource(lines(tmp_path / "corpus.jsonl", *rows), format="rst")
    found = [file for file in source.files() if isinstance(file, SourceFile)]
    assert [(f.path, f.title, f.format) for f in found] == [("b", "Bee", "rst"), ("7", None, "rst")]
    assert [source.read(file) for file in found] == ["büzz".encode(), b"x"]


def test_a_bad_row_is_reported_by_its_line_and_the_others_are_read(tmp_path: Path) -> None:
    good = {"_id": "a", "text": "x"}
    source = JsonlSource(lines(tmp_path / "c.jsonl", good, "{", "", '{"_id": "q"}', good))
    assert [file for file in source.files() if isinstance(file, SourceProblem)] == [
        SourceProblem("c.jsonl:2", "not a JSON object with `_id` and `text`"),
        SourceProblem("c.jsonl:4", "not a JSON object with `_id` and `text`"),
        SourceProblem("c.jsonl:5", "`_id` 'a' is empty or stands in an earlier row"),
    ]


def test_a_lone_surrogate_is_a_problem(tmp_path: Path) -> None:
    source = JsonlSource(lines(tmp_path / "c.jsonl", '{"_id": "a", "text": "x\\ud800"}'))
    (file,) = source.files()
    assert isinstance(file, SourceFile)
    assert source.read(file) == SourceProblem("a", "half a character at position 1")


def test_an_absent_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        JsonlSource(tmp_path / "corpus.jsonl")


def test_imported_edges_keep_their_line_as_evidence(tmp_path: Path) -> None:
    row = {"source": "a", "target": "b:c", "type": "requires", "origin": "header"}
    (found,) = read_edges(lines(tmp_path / "edges.jsonl", row), "r")
    assert found.edge == Edge("r:a", "requires", "r:b%3Ac")
    assert found.origins == ("imported",)
    assert found.evidence == (EdgeEvidence("edges.jsonl", 1, 0, 0, 0, "requires b:c"),)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("[]", r"edges.jsonl:1: not a JSON object with source, target and type"),
        (
            {"source": "a", "target": "b", "type": "likes"},
            r"edges.jsonl:1: no relation is called 'likes'",
        ),
    ],
)
def test_an_edge_that_cannot_be_read_is_refused_with_its_line(
    tmp_path: Path, row: object, reason: str
) -> None:
    with pytest.raises(BadInput, match=reason):
        read_edges(lines(tmp_path / "edges.jsonl", row), "r")
