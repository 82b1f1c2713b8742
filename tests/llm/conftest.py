"""One real model server for all tests of this folder; without it they are skipped."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm.model_server import model_server


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    environment = os.environ.get("LLM")
    if not environment:
        pytest.skip("needs a real model server: make test-llm")
    with model_server(Path(environment), tmp_path_factory.mktemp("llm") / "server.log") as base:
        yield base
