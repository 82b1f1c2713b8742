"""The pools that settings open."""

from collections.abc import Iterator

import pytest

from docgraph.ingest.workers import pool
from docgraph.ingest.workers.process import WorkerProcess
from docgraph.ingest.workers.spare import SPARE
from docgraph.ingest.workers.worker import WorkerSettings
from docgraph.wiring.parsing import open_parser_pool
from docgraph.wiring.settings import Settings


@pytest.fixture(autouse=True)
def no_spare() -> Iterator[None]:
    SPARE.close()
    yield
    SPARE.close()


def test_the_worker_of_an_ingest_serves_the_next_with_the_same_plugins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[WorkerSettings] = []

    def start(settings: WorkerSettings) -> WorkerProcess:
        started.append(settings)
        return WorkerProcess(settings)

    monkeypatch.setattr(pool, "WorkerProcess", start)
    for plugins in (None, None, ("docgraph",)):
        with open_parser_pool(Settings(plugins=plugins)) as opened:
            opened.wait_until_ready()
    assert len(started) == 2
