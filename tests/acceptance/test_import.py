"""docgraph import: a corpus in JSON lines, with its edges, is ingested like a folder."""

import gzip
import json
from pathlib import Path

import pytest

from docgraph.model.errors import BadInput
from tests.acceptance.conftest import Run, data

INTO = ("--repository", "r", "--store", "s.db", "--json")
ROWS = (
    {"_id": "engine", "title": "Engine", "text": "The rocket engine burns kerosene."},
    {"_id": "spice", "title": "Zanzibar", "text": "An island with beaches."},
)


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def corpus(elsewhere: Path) -> Path:
    place = elsewhere / "corpus"
    place.mkdir()
    lines(place / "corpus.jsonl", *ROWS)
    lines(place / "edges.jsonl", {"source": "engine", "target": "spice", "type": "explains"})
    return place


def edges(docgraph: Run) -> list[tuple[str, str, str, list[str]]]:
    found = data(docgraph("relations", "list", "--store", "s.db", "--json"))["relations"]
    return [(*found["edge"].values(), found["origins"]) for found in found]


def test_rows_become_documents_and_given_edges_their_relations(docgraph: Run, corpus: Path) -> None:
    (result,) = data(docgraph("import", str(corpus), *INTO))["imported"]
    assert result["added"] == 2
    assert result["snapshot"] == {"repository": "r", "branch": "main", "snapshot": 1}
    assert edges(docgraph) == [("r:engine", "explains", "r:spice", ["given"])]
    seeds = data(docgraph("search", "kerosene", "--store", "s.db", "--json"))
    assert seeds["seeds"]["ranked"][0]["id"] == "r:engine"


def test_importing_again_writes_only_what_changed(docgraph: Run, corpus: Path) -> None:
    docgraph("import", str(corpus), *INTO)
    (same,) = data(docgraph("import", str(corpus), *INTO))["imported"]
    assert (same["snapshot"], same["unchanged"]) == (None, 2)
    lines(corpus / "corpus.jsonl", ROWS[0])
    (less,) = data(docgraph("import", str(corpus), *INTO))["imported"]
    assert (less["removed"], less["unchanged"]) == (1, 1)
    assert edges(docgraph) == []


def test_an_edge_to_nothing_is_reported_and_never_dangles(docgraph: Run, corpus: Path) -> None:
    lines(corpus / "edges.jsonl", {"source": "engine", "target": "none", "type": "requires"})
    (result,) = data(docgraph("import", str(corpus), *INTO))["imported"]
    assert result["unresolved"] == [{"path": "edges.jsonl", "line": 1, "what": "r:none"}]
    assert edges(docgraph) == []


def test_a_bad_row_is_listed_and_the_rest_is_ingested(docgraph: Run, corpus: Path) -> None:
    with (corpus / "corpus.jsonl").open("a") as rows:
        rows.write("{broken\n")
    (result,) = data(docgraph("import", str(corpus), *INTO))["imported"]
    assert result["added"] == 2
    assert [problem["path"] for problem in result["problems"]] == ["corpus.jsonl:3"]


def test_rules_and_branch_hold_for_a_corpus_too(docgraph: Run, corpus: Path) -> None:
    shown = docgraph("import", str(corpus), *INTO, "--branch", "b", "--reader", "staff")
    assert "cannot read 2 of 2 documents" in shown.stderr
    assert data(docgraph("status", "--store", "s.db", "--json"))["scope"]["snapshots"] == []


def test_every_manifest_becomes_a_branch(docgraph: Run, elsewhere: Path) -> None:
    place = elsewhere / "snapshots"
    place.mkdir()
    manifests = (
        {"_id": "one", "files": {"a.md": "x"}},
        {"_id": "two", "files": {"a.md": "x", "b.md": "y"}},
    )
    lines(place / "manifests.jsonl", *manifests)
    with gzip.open(place / "blobs.jsonl.gz", "wt") as blobs:
        blobs.write('{"_id": "x", "text": "# A"}\n{"_id": "y", "text": "# B"}\n')
    results = data(docgraph("import", str(place), *INTO))["imported"]
    assert [result["snapshot"]["branch"] for result in results] == ["one", "two"]
    assert [result["added"] for result in results] == [1, 2]
    refused = docgraph("import", str(place), *INTO, "--branch", "main").exception
    assert isinstance(refused, BadInput)
    assert "leave --branch out" in str(refused)


def test_a_folder_without_a_corpus_is_reported_what_belongs_there(
    docgraph: Run, elsewhere: Path
) -> None:
    for place in (elsewhere, elsewhere / "none"):
        refused = docgraph("import", str(place), *INTO).exception
        assert isinstance(refused, BadInput)
        assert "corpus.jsonl" in str(refused)
    assert not (elsewhere / "s.db").exists()
