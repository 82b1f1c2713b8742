"""docgraph eval compares flat search with planned retrieval."""

import json
from pathlib import Path

import pytest

from tests.acceptance.conftest import Run, data

MEASURES = [
    "recall@2",
    "recall@5",
    "recall@10",
    "acc@1",
    "acc@3",
    "acc@5",
    "hit@1",
    "hit@3",
    "hit@5",
    "ndcg@10",
    "mrr",
    "documents",
    "tokens",
    "p50_ms",
    "p99_ms",
]
DATA = Path(__file__).parents[3] / "shared" / "data"


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(elsewhere: Path) -> Path:
    """The question is a sentence of its source; only an edge leads to the answer."""
    path = elsewhere / "set"
    path.mkdir()
    lines(
        path / "corpus.jsonl",
        {"_id": "source", "title": "Source", "text": "The rocket engine burns kerosene."},
        {"_id": "start", "title": "Rocket engine", "text": "A rocket engine and its kerosene."},
        {"_id": "answer", "title": "Zanzibar", "text": "An island with beaches and spices."},
        *({"_id": f"n{n}", "title": f"Engine {n}", "text": f"Engine part {n}."} for n in range(20)),
    )
    lines(
        path / "queries.jsonl",
        {"_id": "q", "text": "The rocket engine burns kerosene.", "source": "source"},
    )
    (path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tanswer\t1\n")
    lines(path / "edges.jsonl", {"source": "start", "target": "answer", "type": "explains"})
    return path


def test_every_mode_is_measured_and_planning_follows_edges(docgraph: Run, folder: Path) -> None:
    found = data(docgraph("eval", str(folder), "--json"))
    assert list(found) == ["flat", "planned", "intervals", "gain"]
    assert list(found["flat"]) == ["semantic", "bm25", "hybrid"]
    for measures in (*found["flat"].values(), found["planned"]):
        assert list(measures) == MEASURES
    assert all(measures["recall@10"] == 0 for measures in found["flat"].values())
    assert found["planned"]["recall@5"] == 1.0


def test_every_mean_has_its_interval_and_planning_its_gain(docgraph: Run, folder: Path) -> None:
    found = data(docgraph("eval", str(folder), "--json"))
    without_times = [name for name in MEASURES if not name.endswith("_ms")]
    for intervals in (*found["intervals"]["flat"].values(), found["intervals"]["planned"]):
        assert list(intervals) == without_times
    assert found["intervals"]["planned"]["recall@5"] == [1.0, 1.0]
    assert list(found["gain"]) == [n for n in without_times if n not in ("documents", "tokens")]
    assert found["gain"]["recall@5"] == {"over": "semantic", "mean": 1.0, "low": 1.0, "high": 1.0}
    shown = docgraph("eval", str(folder)).stdout
    assert "gain over the best flat" in shown
    assert "+1 (+1 to +1)" in shown


def test_a_held_out_edge_is_not_used(docgraph: Run, folder: Path) -> None:
    lines(folder / "heldout_edges.jsonl", {"source": "start", "target": "answer"})
    assert data(docgraph("eval", str(folder), "--json"))["planned"]["recall@10"] == 0


def test_the_source_of_a_question_is_not_searched(docgraph: Run, folder: Path) -> None:
    (folder / "qrels.tsv").write_text("q\tsource\t1\n")
    found = data(docgraph("eval", str(folder), "--json"))
    assert all(measures["recall@10"] == 0 for measures in found["flat"].values())
    assert found["planned"]["recall@10"] == 0


def test_a_stored_index_is_reused(docgraph: Run, folder: Path, elsewhere: Path) -> None:
    arguments = ("eval", str(folder), "--store", "stored.db", "--json")
    first = data(docgraph(*arguments))
    assert (elsewhere / "stored.db").is_file()
    again = data(docgraph(*arguments))
    assert first["planned"]["ndcg@10"] == again["planned"]["ndcg@10"]
    assert data(docgraph("status", "--store", "stored.db", "--json"))["scope"]["snapshots"] == [
        {"repository": "corpus", "branch": "main", "snapshot": 1}
    ]


@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation sets are not beside the project")
def test_the_evaluation_sets_can_be_read() -> None:
    from docgraph.evaluation.dataset import read_dataset

    for name in ("peps", "musique", "scifact", "cosqa", "issue-localisation"):
        found = read_dataset(DATA / name, limit=3)
        assert len(found.questions) == 3
        assert found.collections
