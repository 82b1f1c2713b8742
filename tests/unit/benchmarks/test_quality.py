"""`make quality` on a small dataset: every pipeline and ablation, and the restored store."""

import json
from pathlib import Path

import pytest

from benchmarks import quality
from benchmarks.quality_engine import services_on
from benchmarks.quality_results import MeasuredSet
from benchmarks.quality_set import measure
from benchmarks.services import Services
from docgraph.evaluation.ablation import AblatedStore
from docgraph.evaluation.dataset import load_dataset, read_dataset
from docgraph.evaluation.run import rank_documents
from docgraph.interfaces.auth.principals import local
from docgraph.model.plan import RetrievalPlan
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings

TEXTS = {
    "marie": ("Marie Curie", "A physicist. With Pierre Curie she found radium in Paris."),
    "pierre": ("Pierre Curie", "He taught in Paris, and Gabriel Lippmann taught him."),
    "gabriel": ("Gabriel Lippmann", "Colours on glass plates, and the Sorbonne Laboratory."),
    "radium": ("Radium", "A metal that glows. The Sorbonne Laboratory kept some."),
    "barn": ("Barn", "Hay, straw, and a cat."),
    "rail": ("Rail", "Trains run on it. A barn has hay, and Slow coaches stop."),
    "coach": ("Slow coaches", "Lamps at night."),
}


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    folder = data / "small"
    folder.mkdir()
    rows = ({"_id": n, "title": title, "text": text} for n, (title, text) in TEXTS.items())
    lines(folder / "corpus.jsonl", *rows)
    lines(
        folder / "queries.jsonl",
        {"_id": "q1", "text": "Who taught the husband of Marie Curie?"},
        {"_id": "q2", "text": "Where was the metal that glows kept?\n"},
        {"_id": "q3", "text": "A metal that glows.", "source": "radium"},
        {"_id": "q4", "text": "What do trains run on?"},
    )
    (folder / "qrels.tsv").write_text(
        "q4\tcoach\t1\nq1\tgabriel\t1\nq1\tpierre\t1\nq2\tradium\t1\nq3\tmarie\t1\n"
    )
    lines(folder / "edges.jsonl", {"source": "rail", "target": "barn", "type": "mentions"})
    return data


@pytest.fixture(scope="module")
def store(data: Path) -> Path:
    return data / "small.db"


@pytest.fixture(scope="module")
def measured(data: Path, store: Path) -> MeasuredSet:
    return measure(data / "small", store, HashedWords)


def test_every_pipeline_and_every_switch_is_measured(measured: MeasuredSet) -> None:
    assert (measured.documents, measured.questions) == (len(TEXTS), 4)
    assert [row.name for row in measured.flat] == ["flat semantic", "flat bm25", "flat hybrid"]
    assert [row.name for row in measured.planned] == ["planned (`documents`)", "planned (`strict`)"]
    assert all(row.megabytes and row.megabytes > 10 for row in measured.over)
    (hybrid,) = (row for row in measured.flat if row.name == "flat hybrid")
    assert hybrid.time == 1.0
    names = [off.switch.name for off in measured.off]
    assert names == [
        "every edge",
        "imported edges (mentions)",
        "miner `names` (shares_entity)",
        "miner `titles` (mentions)",
        "`mentions`",
    ]
    edges = {off.switch.name: off.switch.edges for off in measured.off}
    assert edges["`mentions`"] == edges["imported edges (mentions)"] + edges[names[3]] > 1
    assert [off.switch.miner for off in measured.off] == [None, "imported", None, "titles", None]
    for off in measured.off:
        assert {len(values) for values in off.values.values()} == {4}


def test_the_store_is_restored_with_every_edge_and_one_snapshot(
    measured: MeasuredSet, data: Path, store: Path
) -> None:
    engine = services_at(store, data / "audit")
    everyone = local(frozenset({"radium"}))
    counted = dict(engine.content.relation_counts(everyone).edges)
    assert {name: counted[name] for name in measured.edges} == measured.edges
    assert len(engine.content.snapshots(everyone)) == 1


@pytest.mark.parametrize(
    ("miner", "relation"), [("names", "shares_entity"), ("titles", "mentions")]
)
def test_a_held_out_relation_equals_an_ingest_without_its_miner(
    data: Path, tmp_path: Path, miner: str, relation: str
) -> None:
    """Plans are compared with those of a store that was ingested without the miner."""
    dataset = read_dataset(data / "small")
    store = open_stores(Settings(store=str(tmp_path / "whole.db"))).store
    whole = services_on(store, HashedWords(), tmp_path / "audit")
    load_dataset(whole.content, dataset, local, lambda _: None, with_edges=False)
    bare = services_at(tmp_path / "bare.db", tmp_path / "audit")
    load_dataset(bare.content, dataset, local, lambda _: None, without=[miner], with_edges=False)

    def plans(services: Services) -> list[RetrievalPlan]:
        few = load("documents").with_options("search_nodes", top=1)
        asker = local(dataset.sources)
        return [
            services.questions.retrieve(QuestionRequest(asker, few, q.text)).plan
            for q in dataset.questions
        ]

    with_all = plans(whole)
    ablated = AblatedStore(store, frozenset(), frozenset({relation}))
    without = services_on(ablated, HashedWords(), tmp_path / "audit")
    assert plans(without) == plans(bare)
    assert plans(without) != with_all


def test_a_limit_measures_fewer_questions_of_the_same_store(
    data: Path, store: Path, measured: MeasuredSet
) -> None:
    """The source of a question is still hidden for that question."""
    fewer = measure(data / "small", store, HashedWords, limit=2)
    assert fewer.questions == 2
    assert fewer.documents == measured.documents
    for row, whole in zip(fewer.flat, measured.flat, strict=True):
        assert list(row.values["mrr"]) == list(whole.values["mrr"])[:2]


def test_rankings_alone_equal_those_of_the_full_pipeline(
    data: Path, store: Path, measured: MeasuredSet
) -> None:
    engine = services_at(store, data / "audit")
    dataset = read_dataset(data / "small")
    rankings = rank_documents(
        engine.questions, dataset, load("documents"), local, lambda _: None, "alone"
    )
    first = [
        1.0 if ranking[0] in question.grades else 0.0
        for ranking, question in zip(rankings, dataset.questions, strict=True)
    ]
    expected = [1.0 if value == 1.0 else 0.0 for value in measured.planned[0].values["mrr"]]
    assert first == expected


def services_at(store: Path, audit: Path) -> Services:
    return services_on(open_stores(Settings(store=str(store))).store, HashedWords(), audit)


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr("sys.argv", ["quality", *map(str, words)])
    monkeypatch.setattr(quality, "_embedder", HashedWords)
    return quality.main()


def test_missing_datasets_are_skipped_with_a_message(
    data: Path,
    store: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page = tmp_path / "quality.md"
    page.write_text("# Q\n\n<!-- quality: gone -->\n\nkept\n\n<!-- end of gone -->\n")
    options = ("--stores", store.parent, "--page", page, "--limit", 1)
    assert run(monkeypatch, data, *options) == 0
    output = capsys.readouterr().out
    assert "gone: not in" in output
    assert "small: written to" in output
    text = page.read_text()
    assert "kept" in text
    assert "<!-- quality: small -->\n\n7 documents, 1 questions." in text


def test_without_datasets_the_usage_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ("--page", tmp_path / "page.md", "--stores", tmp_path / "stores")
    assert run(monkeypatch, tmp_path / "nowhere", *page) == 2
    assert "make quality DATA=folder" in capsys.readouterr().out
    assert run(monkeypatch, tmp_path, *page) == 2
    assert "a set is a folder with queries.jsonl" in capsys.readouterr().out
    assert not (tmp_path / "page.md").exists()


def test_what_is_wrong_with_a_set_or_the_page_is_known_before_the_first_set_is_measured(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(quality, "measure", lambda *_: pytest.fail("a set was measured"))
    options = ("--stores", tmp_path / "stores", "--page")
    assert run(monkeypatch, data, *options, tmp_path / "nowhere" / "page.md") == 2
    assert "No such file or directory" in capsys.readouterr().out
    (tmp_path / "small").symlink_to(data / "small")
    (tmp_path / "worse").mkdir()
    lines(tmp_path / "worse" / "queries.jsonl", {"_id": "q", "text": "?"})
    (tmp_path / "worse" / "qrels.tsv").write_text("q\tx\t1\n")
    assert run(monkeypatch, tmp_path, *options, tmp_path / "page.md") == 2
    assert "worse/queries.jsonl:1: question 'q'" in capsys.readouterr().out
