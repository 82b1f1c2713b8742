"""What was embedded before an endpoint failed is stored: the next ingest asks for the rest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from docgraph.engine.content import ContentService
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.errors import ModelError
from docgraph.wiring.build import build_engine
from docgraph.wiring.model_settings import Endpoint
from docgraph.wiring.settings import Settings
from docgraph.wiring.vector_cache import VectorCacheSettings
from tests.support.memory_source import MemorySource
from tests.support.scripted_server import Answer, Body, Server, serve_script

BATCH = 32
FILES = {f"{n}.md": f"# Part {n}\n\nThis is number {n} of many.\n" for n in range(100)}


def vectors_of(body: Body) -> Answer:
    rows = [
        {"index": n, "embedding": [float(len(text)), float(sum(text.encode())), 1.0]}
        for n, text in enumerate(body["input"])
    ]
    return 200, {"data": rows}, {}


class Failing:
    """Answers so many requests, and refuses every further one."""

    def __init__(self, answers: int) -> None:
        self.embedded: list[str] = []
        self._left = answers

    def __call__(self, body: Body) -> Answer:
        if not self._left:
            return 401, {"error": "the key has expired"}, {}
        self._left -= 1
        self.embedded += body["input"]
        return vectors_of(body)


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(vectors_of) as server:
        yield server


def content_of(
    server: Server, store: Path, concurrency: int, cache: Path | None = None
) -> ContentService:
    endpoint = Endpoint(server.base, "tiny", dimensions=3, concurrency=concurrency)
    cached = VectorCacheSettings(enabled=cache is not None, folder=str(cache))
    settings = Settings(store=str(store), embedder_endpoint=endpoint, vector_cache=cached)
    content: ContentService = build_engine(settings).content
    return content


def ingest(content: ContentService) -> int:
    """How many texts were embedded."""
    return content.ingest(
        local(),
        MemorySource(FILES),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    ).vectors


def asked(server: Server) -> list[str]:
    found = [text for _, _, body in server.asked for text in body["input"]]
    server.asked.clear()
    return found


def test_the_next_ingest_asks_only_for_what_is_missing(server: Server, tmp_path: Path) -> None:
    whole = content_of(server, tmp_path / "whole.db", 1)
    number = ingest(whole)
    everything = asked(server)
    assert len(everything) == len(set(everything)) == number > 5 * BATCH
    server.answer = failing = Failing(2)
    resumed = content_of(server, tmp_path / "resumed.db", 1)
    with pytest.raises(ModelError, match="the key has expired"):
        ingest(resumed)
    assert len(failing.embedded) == 2 * BATCH
    asked(server)
    server.answer = vectors_of
    ingest(resumed)
    again = asked(server)
    assert {*again} | {*failing.embedded} == {*everything}
    assert not [text for text in {*again} & {*failing.embedded} if text.startswith("#")]
    assert resumed.content_digest(local()) == whole.content_digest(local())


def test_another_store_has_what_was_embedded_from_the_cache(server: Server, tmp_path: Path) -> None:
    server.answer = failing = Failing(2)
    with pytest.raises(ModelError, match="the key has expired"):
        ingest(content_of(server, tmp_path / "first.db", 1, tmp_path / "cache"))
    asked(server)
    server.answer = vectors_of
    ingest(content_of(server, tmp_path / "second.db", 1, tmp_path / "cache"))
    assert not {*asked(server)} & {*failing.embedded}


def test_requests_at_once_lose_no_more_than_were_in_flight(server: Server, tmp_path: Path) -> None:
    whole = content_of(server, tmp_path / "whole.db", 1)
    ingest(whole)
    everything = {*asked(server)}
    concurrency = 4
    server.answer = failing = Failing(6)
    resumed = content_of(server, tmp_path / "resumed.db", concurrency)
    with pytest.raises(ModelError, match="the key has expired"):
        ingest(resumed)
    asked(server)
    server.answer = vectors_of
    ingest(resumed)
    again = asked(server)
    assert {*again} | {*failing.embedded} == everything
    assert len({*again} & {*failing.embedded}) <= (concurrency - 1) * BATCH
    assert resumed.content_digest(local()) == whole.content_digest(local())
