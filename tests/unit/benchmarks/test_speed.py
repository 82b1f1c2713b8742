"""The speed benchmark runs at a tiny size; how long anything takes is not asserted."""

from pathlib import Path

import pytest

from benchmarks import speed
from benchmarks.generated_chunks import generated_chunks
from benchmarks.generated_pages import CLASSES
from benchmarks.generated_store import generated_store
from benchmarks.questions import engine_for, questions
from benchmarks.search_baseline import MISSING, build_baseline, is_installed
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, Person
from docgraph.pipeline.load import load

DOCUMENTS = 100
needs_bm25s = pytest.mark.skipif(not is_installed(), reason=MISSING)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores")
    generated_store(folder, DOCUMENTS)
    return folder


def test_a_store_is_generated_once(stores: Path) -> None:
    first = generated_store(stores, DOCUMENTS)
    modified = first.stat().st_mtime_ns
    assert generated_store(stores, DOCUMENTS) == first
    assert first.stat().st_mtime_ns == modified


def test_a_store_of_older_code_is_reused_only_if_stale_stores_are_allowed(tmp_path: Path) -> None:
    older = tmp_path / "made-3-0123456789ab.db"
    older.touch()
    assert generated_store(tmp_path, 3, stale=True) == older
    fresh = generated_store(tmp_path, 3)
    assert fresh != older
    assert not older.exists()


def test_the_baseline_searches_the_chunks_of_the_store(stores: Path) -> None:
    everyone = Person("everyone", LOCAL, frozenset(f"team-{team}" for team in range(CLASSES)))
    engine = engine_for((), generated_store(stores, DOCUMENTS), stores / "audit")
    counts = engine.content.status(impersonated(everyone, local())).counts
    chunks = generated_chunks(stores, DOCUMENTS)
    assert counts["chunks"] == len(chunks.texts) == len(chunks.vectors)
    assert counts["nodes.document"] == DOCUMENTS == len(chunks.summaries)
    assert len(set(chunks.documents)) == DOCUMENTS


def test_half_of_the_documents_are_readable(stores: Path) -> None:
    engine = engine_for((), generated_store(stores, DOCUMENTS), stores / "audit")
    assert engine.content.status(local()).counts["nodes.document"] == DOCUMENTS // 2


def test_all_questions_are_distinct() -> None:
    generated = questions(400)
    assert len({one.text for one in generated}) == 400


@needs_bm25s
def test_the_baseline_finds_a_chunk_by_its_own_words_and_vector(stores: Path) -> None:
    baseline, chunks = build_baseline(stores, DOCUMENTS), generated_chunks(stores, DOCUMENTS)
    assert baseline.vector_candidates(chunks.vectors[7])[0] == 7
    assert baseline.lexical_candidates(chunks.texts[7])[0][0] == 7
    assert baseline.by_summary(chunks.summaries[7])[0] == 7


@needs_bm25s
def test_every_method_is_timed_for_every_question(
    stores: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speed, "WARM_UP", 2)
    store, baseline = generated_store(stores, DOCUMENTS), build_baseline(stores, DOCUMENTS)
    first, again = speed.measure(store, baseline, load("documents"), 10)
    methods = dict.fromkeys(("chunks", "summaries", "words", "docgraph"), 10)
    for spent in (first, again):
        assert {name: len(times) for name, times in spent.times.items()} == methods
        assert {name: len(times) for name, times in spent.processor.items()} == methods
        assert {len(times) for times in spent.steps.values()} == {10}
    speed.show(first)
    speed.report(first.times, "asked")
    assert capsys.readouterr().out.count("\n") == len(speed.BASELINES) + 1
