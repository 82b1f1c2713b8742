"""Settings choose the adapters, and nothing heavy is loaded before it is asked for."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.endpoint.embedder import EndpointEmbedder
from docgraph.adapters.endpoint.reranker import EndpointReranker
from docgraph.adapters.onnx.granite import GraniteEmbedder
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.errors import ModelError
from docgraph.wiring import models
from docgraph.wiring.model_settings import Endpoint
from docgraph.wiring.settings import Settings

SERVER = Endpoint("http://localhost:9/v1", "tiny", "sesame")
FRESH = """
import sys
from pathlib import Path
from docgraph.wiring.build import open_embedder, open_reranker
from docgraph.wiring.settings import Settings, read_settings

def loaded():
    heavy = {"onnx", "onnxruntime", "pydantic", "sqlite3", "tokenizers"}
    adapters = {name for name in sys.modules if name.startswith("docgraph.adapters.")}
    print(*sorted(heavy & set(sys.modules) | adapters) or ["nothing"])

open_reranker(read_settings({}, Path("nowhere")))
loaded()
open_embedder(Settings()).identity
open_reranker(Settings(reranker_folder="nowhere")).name
print(*sorted({"onnx", "onnxruntime", "tokenizers"} & set(sys.modules)) or ["nothing"])
"""


def test_without_a_setting_the_embedder_is_the_one_that_comes_with_docgraph() -> None:
    assert isinstance(models.open_embedder(Settings()), GraniteEmbedder)
    assert isinstance(models.open_embedder(Settings(reranker_endpoint=SERVER)), GraniteEmbedder)


def test_an_endpoint_embeds_without_being_asked_at_once() -> None:
    assert isinstance(models.open_embedder(Settings(embedder_endpoint=SERVER)), EndpointEmbedder)


def test_a_folder_comes_before_an_endpoint(tmp_path: Path) -> None:
    both = Settings(embedder_folder=str(tmp_path), embedder_endpoint=SERVER)
    with pytest.raises(ModelError, match=rf"{tmp_path}: holds neither model.onnx"):
        models.open_embedder(both)


def test_a_folder_is_opened_as_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    monkeypatch.setattr("docgraph.adapters.onnx.embedder.OnnxEmbedder", opened.append)
    models.open_embedder(Settings(embedder_folder=str(tmp_path)))
    assert opened == [tmp_path]


def test_reranking_takes_an_endpoint() -> None:
    assert models.open_reranker(Settings(embedder_endpoint=SERVER)) is None
    assert isinstance(models.open_reranker(Settings(reranker_endpoint=SERVER)), EndpointReranker)


def test_reranking_takes_a_folder_before_an_endpoint(tmp_path: Path) -> None:
    both = Settings(reranker_folder=str(tmp_path), reranker_endpoint=SERVER)
    reranker = models.open_reranker(both)
    assert reranker is not None
    assert reranker.name == tmp_path.name
    with pytest.raises(ModelError, match=rf"{tmp_path}: holds neither model.onnx"):
        reranker.relevance("a question", ["a text"])


@pytest.mark.requirement(47)
def test_a_reranker_in_this_process_has_no_clearance() -> None:
    both = Settings(reranker_folder="models/tiny", reranker_endpoint=SERVER)
    reranker = models.open_reranker(both)
    assert reranker is not None
    assert reranker.clearance is None


@pytest.mark.parametrize("name", ["EndpointEmbedder", "EndpointReranker"])
def test_a_server_gets_its_address_model_and_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = name.removeprefix("Endpoint").lower()
    given: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        f"docgraph.adapters.endpoint.{module}.{name}",
        lambda url, model, *, api_key, **_: given.append((url, model, api_key)),
    )
    settings = Settings(embedder_endpoint=SERVER, reranker_endpoint=SERVER)
    (models.open_embedder if module == "embedder" else models.open_reranker)(settings)
    assert given == [(SERVER.url, SERVER.model, SERVER.key)]


@pytest.mark.requirement(47)
def test_a_server_gets_what_its_settings_let_out_and_no_more() -> None:
    clearance = Clearance(frozenset({"board"}), 2)
    for endpoint in (SERVER, replace(SERVER, clearance=clearance)):
        settings = Settings(embedder_endpoint=endpoint, reranker_endpoint=endpoint)
        reranker = models.open_reranker(settings)
        assert reranker is not None
        assert reranker.clearance == models.embedder_clearance(settings) == endpoint.clearance
    assert SERVER.clearance == UNCLASSIFIED


@pytest.mark.requirement(47)
def test_an_embedder_in_this_process_has_no_clearance() -> None:
    assert models.embedder_clearance(Settings()) is None
    both = Settings(embedder_folder="models/tiny", embedder_endpoint=SERVER)
    assert models.embedder_clearance(both) is None


def test_an_embedder_that_loads_early_is_the_one_that_settings_name(tmp_path: Path) -> None:
    embedder = models.preload_embedder(Settings())()
    assert isinstance(embedder, GraniteEmbedder)
    assert embedder.runner() is embedder.runner()
    assert isinstance(
        models.preload_embedder(Settings(embedder_endpoint=SERVER))(), EndpointEmbedder
    )


def test_what_goes_wrong_while_it_loads_is_reported_to_who_asks_for_it(tmp_path: Path) -> None:
    asked = models.preload_embedder(Settings(embedder_folder=str(tmp_path)))
    for _ in range(2):
        with pytest.raises(ModelError, match="holds neither"):
            asked()


def test_nothing_heavy_is_loaded_until_it_is_asked_for() -> None:
    run = subprocess.run(
        [sys.executable, "-c", FRESH], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.splitlines() == ["nothing", "nothing"]
