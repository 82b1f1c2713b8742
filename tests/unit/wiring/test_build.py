"""An engine is built of what settings name."""

from types import SimpleNamespace
from typing import NoReturn

import pytest

from docgraph.wiring import build
from docgraph.wiring.settings import Settings


def test_an_engine_is_built_without_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> NoReturn:
        pytest.fail("nobody asked for a model")

    for model in ("open_embedder", "open_tokens", "open_reranker"):
        monkeypatch.setattr(build, model, never)
    stores = SimpleNamespace(store=object(), audit=object(), api_keys=object(), jobs=object())
    monkeypatch.setattr(build, "open_stores", lambda _: stores)
    assert build.build_engine(Settings()).content.store is stores.store
