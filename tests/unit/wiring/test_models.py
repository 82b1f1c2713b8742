"""Settings select the models, and heavy libraries are imported on first use."""

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
from docgraph.model.errors import BadInput, ModelError
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


def test_the_default_embedder_is_granite() -> None:
    assert isinstance(models.open_embedder(Settings()), GraniteEmbedder)
    assert isinstance(models.open_embedder(Settings(reranker_endpoint=SERVER)), GraniteEmbedder)


def test_models_of_this_process_run_on_the_execution_providers_of_the_settings() -> None:
    usual = models.open_embedder(Settings()).identity
    on_cuda = Settings(execution_providers=("cuda",))
    named = replace(on_cuda, embedder_endpoint=Endpoint("", "", provider="granite"))
    assert models.open_embedder(on_cuda).identity == models.open_embedder(named).identity != usual
    with pytest.raises(BadInput, match=r"onnxruntime has no .+; it has .*cpu"):
        models.preload_embedder(replace(on_cuda, execution_providers=("cuda", "coreml")))()


def test_opening_an_embedding_endpoint_sends_no_request() -> None:
    assert isinstance(models.open_embedder(Settings(embedder_endpoint=SERVER)), EndpointEmbedder)


def test_a_folder_has_precedence_over_an_endpoint(tmp_path: Path) -> None:
    both = Settings(embedder_folder=str(tmp_path), embedder_endpoint=SERVER)
    with pytest.raises(ModelError, match=rf"{tmp_path}: holds neither model.onnx"):
        models.open_embedder(both)


def test_a_folder_is_opened_as_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[Path, tuple[str, ...]]] = []
    monkeypatch.setattr(
        "docgraph.adapters.onnx.cross_encoder.OnnxEmbedder",
        lambda path, providers: opened.append((path, providers)),
    )
    models.open_embedder(Settings(embedder_folder=str(tmp_path)))
    models.open_embedder(
        Settings(embedder_folder=str(tmp_path), execution_providers=("cuda", "cpu"))
    )
    assert opened == [(tmp_path, ("cpu",)), (tmp_path, ("cuda", "cpu"))]


def test_a_reranker_can_be_an_endpoint() -> None:
    assert models.open_reranker(Settings(embedder_endpoint=SERVER)) is None
    assert isinstance(models.open_reranker(Settings(reranker_endpoint=SERVER)), EndpointReranker)


def test_a_reranker_folder_has_precedence_over_an_endpoint(tmp_path: Path) -> None:
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
def test_an_endpoint_has_the_clearance_of_its_settings() -> None:
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


def test_a_preloaded_embedder_is_that_of_the_settings(tmp_path: Path) -> None:
    embedder = models.preload_embedder(Settings())()
    assert isinstance(embedder, GraniteEmbedder)
    assert embedder.runner() is embedder.runner()
    assert isinstance(
        models.preload_embedder(Settings(embedder_endpoint=SERVER))(), EndpointEmbedder
    )


def test_an_error_while_preloading_is_raised_on_every_use(tmp_path: Path) -> None:
    get_embedder = models.preload_embedder(Settings(embedder_folder=str(tmp_path)))
    for _ in range(2):
        with pytest.raises(ModelError, match="holds neither"):
            get_embedder()


def test_heavy_libraries_are_imported_on_first_use() -> None:
    run = subprocess.run(
        [sys.executable, "-c", FRESH], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.splitlines() == ["nothing", "nothing"]


def test_the_shipped_model_can_be_named_as_a_provider_and_nothing_is_sent() -> None:
    named = Settings(embedder_endpoint=Endpoint("", "", provider="granite"))
    assert isinstance(models.open_embedder(named), GraniteEmbedder)
    assert models.embedder_clearance(named) is None


def test_a_folder_needs_no_provider() -> None:
    named = Settings(embedder_endpoint=Endpoint("", "", provider="onnx"))
    with pytest.raises(BadInput, match="an ONNX model needs its folder"):
        models.open_embedder(named)
