"""docgraph eval: flat and planned, side by side, with nothing given away."""

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
    place = elsewhere / "set"
    place.mkdir()
    lines(
        place / "corpus.jsonl",
        {"_id": "source", "title": "Source", "text": "The rocket engine burns kerosene."},
        {"_id": "start", "title": "Rocket engine", "text": "A rocket engine and its kerosene."},
        {"_id": "answer", "title": "Zanzibar", "text": "An island with beaches and spices."},
        *({"_id": f"n{n}", "title": f"Engine {n}", "text": f"Engine part {n}."} for n in range(20)),
    )
    lines(
        place / "queries.jsonl",
        {"_id": "q", "text": "The rocket engine burns kerosene.", "source": "source"},
    )
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tanswer\t1\n")
    lines(place / "edges.jsonl", {"source": "start", "target": "answer", "type": "explains"})
    return place


def test_every_mode_is_measured_and_an_edge_finds_what_search_does_not(
    docgraph: Run, folder: Path
) -> None:
    found = data(docgraph("eval", str(folder), "--json"))
    assert list(found) == ["flat", "planned", "intervals", "gain"]
    assert list(found["flat"]) == ["semantic", "bm25", "hybrid"]
    for measures in (*found["flat"].values(), found["planned"]):
        assert list(measures) == MEASURES
    assert all(measures["recall@10"] == 0 for measures in found["flat"].values())
    assert found["planned"]["recall@5"] == 1.0


def test_every_mean_has_its_interval_and_planning_its_gain(docgraph: Run, folder: Path) -> None:
    found = data(docgraph("eval", str(folder), "--json"))
    timeless = [name for name in MEASURES if not name.endswith("_ms")]
    for within in (*found["intervals"]["flat"].values(), found["intervals"]["planned"]):
        assert list(within) == timeless
    assert found["intervals"]["planned"]["recall@5"] == [1.0, 1.0]
    assert list(found["gain"]) == [n for n in timeless if n not in ("documents", "tokens")]
    assert found["gain"]["recall@5"] == {"over": "semantic", "mean": 1.0, "low": 1.0, "high": 1.0}
    shown = docgraph("eval", str(folder)).stdout
    assert "gain over the best flat" in shown
    assert "+1 (+1 to +1)" in shown


def test_a_held_out_pair_is_in_no_graph(docgraph: Run, folder: Path) -> None:
    lines(folder / "heldout_edges.jsonl", {"source": "start", "target": "answer"})
    assert data(docgraph("eval", str(folder), "--json"))["planned"]["recall@10"] == 0


def test_the_source_of_a_question_is_not_there_for_its_asker(docgraph: Run, folder: Path) -> None:
    (folder / "qrels.tsv").write_text("q\tsource\t1\n")
    found = data(docgraph("eval", str(folder), "--json"))
    assert all(measures["recall@10"] == 0 for measures in found["flat"].values())
    assert found["planned"]["recall@10"] == 0


def test_a_kept_store_is_used_again(docgraph: Run, folder: Path, elsewhere: Path) -> None:
    asked = ("eval", str(folder), "--store", "kept.db", "--json")
    first = data(docgraph(*asked))
    assert (elsewhere / "kept.db").is_file()
    again = data(docgraph(*asked))
    assert first["planned"]["ndcg@10"] == again["planned"]["ndcg@10"]
    assert data(docgraph("status", "--store", "kept.db", "--json"))["scope"]["snapshots"] == [
        {"repository": "corpus", "branch": "main", "snapshot": 1}
    ]


@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation sets are not beside the project")
def test_the_evaluation_sets_can_be_read() -> None:
    from docgraph.evaluation.dataset import read_dataset

    for name in ("peps", "musique", "scifact", "cosqa", "issue-localisation"):
        found = read_dataset(DATA / name, limit=3)
        assert len(found.questions) == 3
        assert found.collections
