"""docgraph doctor says who could come in at a server with these settings."""

from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.ports.store import Finding
from docgraph.wiring.auth_settings import AuthSettings, IssuerSettings
from docgraph.wiring.backends import open_stores
from docgraph.wiring.doctor import diagnose
from docgraph.wiring.settings import Settings
from tests.conformance.key_rules import ANNS, HASH

ISSUER = IssuerSettings("https://id.example.com", "docgraph", "keys.json", tenant="acme")


@pytest.mark.parametrize(
    ("login", "message"),
    [
        (AuthSettings(), "no login: a server answers this machine alone"),
        (AuthSettings(keys=True), "API keys (1)"),
        (AuthSettings(tokens=(ISSUER,)), "tokens of https://id.example.com"),
        (AuthSettings(True, (ISSUER,)), "API keys (1), tokens of https://id.example.com"),
    ],
)
def test_who_can_come_in_is_reported(tmp_path: Path, login: AuthSettings, message: str) -> None:
    settings = Settings(store=str(tmp_path / "store.db"), login=login)
    for number, tenant in enumerate(("local", "other")):
        open_stores(settings).api_keys.add(replace(ANNS, id=f"k{number}", tenant=tenant), HASH)
    assert Finding("callers", True, message) in diagnose(settings, local())
