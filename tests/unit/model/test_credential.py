"""Kinds of credential, as `by` of a Principal tells them."""

from docgraph.model.access import by_key, by_token, credential_kind, issuer_in, key_in


def test_all_keys_are_one_kind_and_every_issuer_is_its_own() -> None:
    assert credential_kind(by_key("a1")) == credential_kind(by_key("b2")) == "key"
    one, other = by_token("https://a.example"), by_token("https://b.example")
    assert credential_kind(one) == one != credential_kind(other)
    assert (credential_kind(""), credential_kind("local")) == ("", "local")


def test_what_was_shown_is_read_back() -> None:
    assert (key_in(by_key("a1")), issuer_in(by_key("a1"))) == ("a1", None)
    assert (key_in(by_token("x y")), issuer_in(by_token("x y"))) == (None, "x y")
    for by in ("", "local", "key", "token", "key ", "keys a1", "Token x"):
        assert key_in(by) is issuer_in(by) is None
