"""Threads that share one Docgraph get the same bytes as alone."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import docgraph
from docgraph.ports.models import Embedder
from docgraph.testing.small_store import HashedWords
from tests.support.notes_store import ADA, BOARD, QUESTION, ingest_notes, use_hashed_words

QUESTIONS = (QUESTION, "Who says stop?", "How long is the pause?")
PEOPLE: tuple[docgraph.Person | None, ...] = (None, ADA, BOARD)
THREADS = 8


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with use_hashed_words():
        yield ingest_notes(tmp_path_factory.mktemp("threads"))


@pytest.mark.requirement(28)
def test_threads_that_share_a_docgraph_get_the_same_bytes(store: Path) -> None:
    questions = [(question, person) for question in QUESTIONS for person in PEOPLE]

    def receipt_digest(opened: docgraph.Docgraph, at: int) -> str:
        question, person = questions[at % len(questions)]
        return opened.ask(question, as_=person).receipt().digest

    alone = [receipt_digest(docgraph.open(store), at) for at in range(len(questions))]
    assert len(set(alone)) == len(alone)
    shared = docgraph.open(store)
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda at: receipt_digest(shared, at), range(10 * len(questions))))
    assert together == 10 * alone


def test_a_model_is_loaded_once_for_concurrent_first_questions(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []
    barrier = threading.Barrier(THREADS)

    def slow(_: object) -> Embedder:
        loaded.append(threading.get_ident())
        threading.Event().wait(0.1)
        return HashedWords()

    monkeypatch.setattr("docgraph.wiring.build.open_embedder", slow)
    shared = docgraph.open(store)

    def first(_: int) -> str:
        barrier.wait()
        return shared.retrieve(QUESTION).context.digest

    with ThreadPoolExecutor(THREADS) as pool:
        assert len(set(pool.map(first, range(THREADS)))) == 1
    assert len(loaded) == 1
