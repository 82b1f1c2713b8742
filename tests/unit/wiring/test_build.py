"""An engine is built from settings."""

from types import SimpleNamespace
from typing import NoReturn

import pytest

from docgraph.wiring import build
from docgraph.wiring.settings import Settings


def test_building_an_engine_loads_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> NoReturn:
        pytest.fail("a model was loaded")

    for model in ("open_embedder", "open_tokens", "open_reranker"):
        monkeypatch.setattr(build, model, never)
    stores = SimpleNamespace(store=object(), audit=object(), api_keys=object(), jobs=object())
    monkeypatch.setattr(build, "open_stores", lambda _: stores)
    assert build.build_engine(Settings()).content.store is stores.store
