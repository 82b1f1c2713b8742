"""Credentials, as `by` of a Principal names them."""

from docgraph.model.access import (
    credential_issuer,
    credential_key_id,
    credential_kind,
    key_credential,
    token_credential,
)


def test_all_keys_are_one_kind_and_every_issuer_is_its_own() -> None:
    assert credential_kind(key_credential("a1")) == credential_kind(key_credential("b2")) == "key"
    one, other = token_credential("https://a.example"), token_credential("https://b.example")
    assert credential_kind(one) == one != credential_kind(other)
    assert (credential_kind(""), credential_kind("local")) == ("", "local")


def test_what_was_shown_is_read_back() -> None:
    assert (credential_key_id(key_credential("a1")), credential_issuer(key_credential("a1"))) == (
        "a1",
        None,
    )
    assert (
        credential_key_id(token_credential("x y")),
        credential_issuer(token_credential("x y")),
    ) == (None, "x y")
    for by in ("", "local", "key", "token", "key ", "keys a1", "Token x"):
        assert credential_key_id(by) is credential_issuer(by) is None
