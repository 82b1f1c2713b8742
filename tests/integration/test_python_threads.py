"""One Docgraph, many threads: each gets the bytes that it would get alone."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import docgraph
from docgraph.ports.models import Embedder
from tests.support.notes_store import ADA, BOARD, QUESTION, ingest_notes, use_hashed_words
from tests.support.small_world import HashedWords

ASKED = (QUESTION, "Who says stop?", "How long is the pause?")
ASKERS: tuple[docgraph.Person | None, ...] = (None, ADA, BOARD)
THREADS = 8


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with use_hashed_words():
        yield ingest_notes(tmp_path_factory.mktemp("threads"))


@pytest.mark.requirement(28)
def test_threads_that_share_one_get_the_same_bytes(store: Path) -> None:
    questions = [(question, who) for question in ASKED for who in ASKERS]

    def asked(opened: docgraph.Docgraph, at: int) -> str:
        question, who = questions[at % len(questions)]
        return opened.ask(question, as_=who).receipt().digest

    alone = [asked(docgraph.open(store), at) for at in range(len(questions))]
    assert len(set(alone)) == len(alone)
    shared = docgraph.open(store)
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda at: asked(shared, at), range(10 * len(questions))))
    assert together == 10 * alone


def test_a_model_is_loaded_once_however_many_threads_ask_first(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []
    waiting = threading.Barrier(THREADS)

    def slow(_: object) -> Embedder:
        loaded.append(threading.get_ident())
        threading.Event().wait(0.1)
        return HashedWords()

    monkeypatch.setattr("docgraph.wiring.build.open_embedder", slow)
    shared = docgraph.open(store)

    def first(_: int) -> str:
        waiting.wait()
        return shared.retrieve(QUESTION).context.digest

    with ThreadPoolExecutor(THREADS) as pool:
        assert len(set(pool.map(first, range(THREADS)))) == 1
    assert len(loaded) == 1
