"""A small repository, ingested once with the real embedder into a real store."""

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from docgraph.adapters.onnx.granite import open_granite
from docgraph.interfaces.cli.app import app
from tests.integration.test_determinism import FILES, write_files

Run = Callable[..., Result]
_open_granite_once = cache(open_granite)


@pytest.fixture(scope="module", autouse=True)
def one_model() -> Iterator[None]:
    """Loaded once per test process, not by every command; vectors depend on the text only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docgraph.adapters.onnx.granite.open_granite", _open_granite_once)
        yield


@pytest.fixture(scope="session")
def rocket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that tests only read."""
    root = tmp_path_factory.mktemp("rocket")
    folder = write_files(root / "files", sorted(FILES))
    store = root / "store.db"
    result = CliRunner().invoke(
        app, ["ingest", str(folder), "--repository", "rocket", "--store", str(store)]
    )
    assert result.exit_code == 0, result.output
    return store


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """Commands run in an empty folder, so that no docgraph.yaml is found by chance."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@pytest.fixture
def docgraph(elsewhere: Path) -> Run:
    """Runs a command; errors of docgraph's own come back as exceptions in the result."""

    def run(*words: str) -> Result:
        return CliRunner().invoke(app, list(words))

    return run


@pytest.fixture
def word_search(elsewhere: Path) -> str:
    """A pipeline that finds nothing where no word of the question occurs."""
    place = elsewhere / "words.yaml"
    place.write_text("pipeline: words\nextends: documents\nchange: {search_nodes: {mode: bm25}}\n")
    return str(place)


def data(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def items_of(context: Any) -> list[Any]:
    """The concepts and chunks of a context as JSON, document by document."""
    return [item for one in context["documents"] for item in (*one["concepts"], *one["chunks"])]
