"""Tokens need a library of an extra; without it, the error says what to install."""

import sys

import pytest

from docgraph.model.errors import BadInput
from docgraph.wiring.auth_settings import IssuerSettings
from docgraph.wiring.build import open_token_issuer

SETTINGS = IssuerSettings("https://id.example.com", "docgraph", "keys.json", tenant="acme")


def test_opening_an_issuer_reads_no_keys() -> None:
    assert open_token_issuer(SETTINGS).name == "https://id.example.com"


def test_without_the_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jwt.algorithms", None)
    with pytest.raises(BadInput, match=r"pip install 'docgraph\[http\]'"):
        open_token_issuer(SETTINGS)


def test_a_library_without_cryptography_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jwt.algorithms.has_crypto", False)
    with pytest.raises(BadInput, match="PyJWT with cryptography"):
        open_token_issuer(SETTINGS)
