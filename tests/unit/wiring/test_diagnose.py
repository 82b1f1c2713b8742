"""docgraph doctor reports which callers a server with these settings accepts."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.ports.store import Finding
from docgraph.wiring.auth_settings import AuthSettings, IssuerSettings
from docgraph.wiring.backends import open_stores
from docgraph.wiring.doctor import diagnose
from docgraph.wiring.embedder_settings import ExecutionProvider
from docgraph.wiring.model_settings import Endpoint
from docgraph.wiring.settings import Settings
from tests.conformance.key_rules import ANNS, HASH
from tests.support.scripted_server import serve_script

ISSUER = IssuerSettings("https://id.example.com", "docgraph", "keys.json", tenant="acme")


@pytest.mark.parametrize(
    ("login", "detail"),
    [
        (AuthSettings(), "no login: a server answers this machine alone"),
        (AuthSettings(keys=True), "API keys (1)"),
        (AuthSettings(tokens=(ISSUER,)), "tokens of https://id.example.com"),
        (AuthSettings(True, (ISSUER,)), "API keys (1), tokens of https://id.example.com"),
    ],
)
def test_accepted_callers_are_reported(tmp_path: Path, login: AuthSettings, detail: str) -> None:
    settings = Settings(store=str(tmp_path / "store.db"), login=login)
    for number, tenant in enumerate(("local", "other")):
        open_stores(settings).api_keys.add(replace(ANNS, id=f"k{number}", tenant=tenant), HASH)
    assert Finding("callers", True, detail) in diagnose(settings, local())


@pytest.mark.parametrize(
    ("concurrency", "per_minute", "detail"),
    [
        (None, None, "up to 4 requests at once"),
        (9, 60, "up to 9 requests at once, 60 a minute"),
    ],
)
def test_the_limits_of_an_embedding_endpoint_are_reported(
    tmp_path: Path, concurrency: int | None, per_minute: int | None, detail: str
) -> None:
    row = {"embedding": [1.0, 2.0]}
    with serve_script(lambda _: (200, {"data": [row]}, {})) as server:
        endpoint = Endpoint(
            server.base, "tiny", concurrency=concurrency, requests_per_minute=per_minute
        )
        settings = Settings(store=str(tmp_path / "store.db"), embedder_endpoint=endpoint)
        (found,) = [one for one in diagnose(settings, local()) if one.part == "embedder"]
    assert found.good
    assert found.detail.endswith(f", 2 dimensions; {detail}")


def test_the_device_of_an_embedder_in_this_process_is_reported(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "store.db"))
    assert embedder(settings).detail.endswith(", 384 dimensions, on cpu")


def test_a_device_that_is_not_available_is_reported_with_those_that_are(tmp_path: Path) -> None:
    missing: ExecutionProvider = "cuda" if sys.platform == "darwin" else "coreml"
    settings = Settings(store=str(tmp_path / "store.db"), execution_providers=(missing,))
    found = embedder(settings)
    assert not found.good
    assert f"has no {missing}; it has " in found.detail
    assert "cpu" in found.detail


def embedder(settings: Settings) -> Finding:
    return next(finding for finding in diagnose(settings, local()) if finding.part == "embedder")
