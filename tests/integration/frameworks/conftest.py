"""One small store for every framework; nothing of theirs leaves this machine meanwhile."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import docgraph
from tests.support.notes_store import ingest_notes, use_hashed_words

# Before any of them is imported.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"

_called: list[str] = []


def _remember(event: str, arguments: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.getaddrinfo"}:
        _called.append(f"{event} {arguments[1:]}")


sys.addaudithook(_remember)


@pytest.fixture(autouse=True)
def nobody_calls_out() -> Iterator[None]:
    """An event loop's own socket pair connects nowhere, and is not listed."""
    _called.clear()
    yield
    assert _called == []


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with use_hashed_words():
        yield


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with use_hashed_words():
        return ingest_notes(tmp_path_factory.mktemp("frameworks"))


@pytest.fixture(scope="session")
def opened(store: Path) -> docgraph.Docgraph:
    return docgraph.open(store)
