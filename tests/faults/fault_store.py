"""A source in several versions, a store of it, and results to compare."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.engine import Engine
from docgraph.ingest.progress import ReportProgress, no_progress
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.digest import canonical
from docgraph.model.errors import StoreError
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from tests.support.engines import make_engine
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_source import MemorySource
from tests.support.postgres_server import OWNER

FILES = 90  # more than a batch
PASSWORD = "hush hush"
Results = tuple[object, ...]
StoreOpener = Callable[..., PostgresStore]


def with_password(dsn: str) -> str:
    """With a password, which no message may contain."""
    return dsn.replace(f"{OWNER}@", f"{OWNER}:{PASSWORD.replace(' ', '%20')}@")


def with_settings(dsn: str, *settings: str) -> str:
    """The same for a login with settings of its own: `statement_timeout=50`."""
    options = " ".join(f"-c {setting}" for setting in settings)
    return f"{dsn}&options={options.replace(' ', '%20').replace('=', '%3D')}"


def open_store(pool: Pool, wait: float = 20) -> PostgresStore:
    return PostgresStore(pool, now=lambda: "2020-01-01T00:00:00+00:00", wait=wait)


def source_version(version: int) -> MemorySource:
    """Texts that name each other; some are only in one version, some change with it."""
    texts: dict[str, str] = {}
    for number in range(FILES):
        if number % 7 != version:
            text = f"# Station {number}\n\nNext is Station {(number * 7) % FILES} and "
            text += f"[that](s{(number + 1) % FILES}.md), version {version % (1 + number % 3)}.\n"
            text += f"\n## Trains\n\nthe express stops on platform {number % 40}\n"
            texts[f"s{number}.md"] = text
    return MemorySource(texts)


def engine_on(store: PostgresStore) -> Engine:
    return make_engine(store, MemoryAudit())


def ingest(
    store: PostgresStore, version: int, progress: ReportProgress = no_progress
) -> IngestResult:
    return engine_on(store).content.ingest(
        local(),
        source_version(version),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
        progress=progress,
    )


def read_results(store: PostgresStore) -> Results:
    """Everything that there is to read, and what some questions get: to the byte."""
    engine = engine_on(store)
    results = [
        engine.questions.retrieve(
            QuestionRequest(local(), load("documents"), f"Which trains stop at Station {number}?")
        )
        for number in (8,)
    ]
    return (
        engine.content.content_digest(local()),
        *(canonical(one.plan) for one in results),
        *(one.context.text for one in results),
    )


@contextmanager
def raises_store_error(kind: type[StoreError], *words: str) -> Iterator[None]:
    """The caller gets this very error, in one line that says where and what, and no secret."""
    with pytest.raises(StoreError) as caught:
        yield
    _check_message(caught.value, kind, words)


@contextmanager
def may_raise_store_error(kind: type[StoreError], *words: str) -> Iterator[None]:
    """Where it may be that nothing happens."""
    try:
        yield
    except StoreError as error:
        _check_message(error, kind, words)


def _check_message(error: StoreError, kind: type[StoreError], words: tuple[str, ...]) -> None:
    message = str(error)
    assert type(error) is kind, message
    assert message.startswith(f"postgresql://{OWNER}@/"), message
    assert all(word in message for word in words), message
    for foreign in (PASSWORD, "hush", "\n", "Traceback", "psycopg", "sqlstate"):
        assert foreign not in message
