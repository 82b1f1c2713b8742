"""An issuer's keys: which are used, how long they are cached, and how often they are read."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from docgraph.adapters.jwt.jwks import FRESH, MAX_KEYS, PAUSE, USABLE, KeySet, signing_keys
from docgraph.model.errors import NotAuthenticated
from tests.support.signed_tokens import PublishedKeys, jwk, jwks

SHORT = 1.0


class KeySourceThatFails(PublishedKeys):
    """Fails while `down` is true."""

    down = False

    def read(self) -> bytes:
        data = super().read()
        if self.down:
            raise NotAuthenticated("the issuer is down")
        return data


class Harness:
    def __init__(self) -> None:
        self.seconds = 1000.0
        self.source = KeySourceThatFails(jwks(jwk("rsa")))
        self.keys = KeySet(self.source, clock=lambda: self.seconds)

    def finds(self, kid: str | None = "rsa", algorithm: str = "RS256") -> bool:
        try:
            return self.keys.key(kid, algorithm).id == (kid or "rsa")
        except NotAuthenticated:
            return False


@pytest.fixture
def harness() -> Harness:
    return Harness()


def test_keys_are_read_once_and_cached(harness: Harness) -> None:
    assert all(harness.finds() for _ in range(5))
    assert harness.source.asked == 1


def test_keys_are_read_again_when_they_are_old(harness: Harness) -> None:
    assert harness.finds()
    harness.source.data = jwks(jwk("other"))
    harness.seconds += FRESH
    assert harness.finds("other")
    assert not harness.finds("rsa")


def test_a_key_that_is_new_is_read_when_a_token_names_it(harness: Harness) -> None:
    assert harness.finds()
    harness.source.data = jwks(jwk("rsa"), jwk("other"))
    harness.seconds += PAUSE
    assert harness.finds("other")
    assert harness.source.asked == 2


def test_unknown_key_ids_cause_one_request_per_pause(harness: Harness) -> None:
    assert harness.finds()
    for number in range(1000):
        assert not harness.finds(f"unknown {number}")
    assert harness.source.asked == 1
    harness.seconds += PAUSE
    for number in range(1000):
        assert not harness.finds(f"unknown {number}")
    assert harness.source.asked == 2


def test_an_issuer_that_is_down_gets_one_request_per_pause(harness: Harness) -> None:
    harness.source.down = True
    assert not any(harness.finds() for _ in range(100))
    assert harness.source.asked == 1
    with pytest.raises(NotAuthenticated, match="cannot be read: the issuer is down"):
        harness.keys.key("rsa", "RS256")
    harness.source.down = False
    harness.seconds += PAUSE
    assert harness.finds()


def test_while_the_issuer_is_down_cached_keys_are_used_until_they_are_too_old(
    harness: Harness,
) -> None:
    assert harness.finds()
    harness.source.down = True
    harness.seconds += USABLE - SHORT
    assert harness.finds()
    harness.seconds += SHORT
    assert not harness.finds()


def test_an_invalid_key_set_does_not_replace_the_cached_one(harness: Harness) -> None:
    assert harness.finds()
    for invalid in (b"", b"<html>", b"[]", b'{"keys": {}}', b'{"keys": [], "keys": []}'):
        harness.source.data = invalid
        harness.seconds += FRESH / 10
        assert harness.finds()


def slow_down(harness: Harness) -> tuple[threading.Event, threading.Event]:
    """Two events: the issuer got a request; the issuer may respond."""
    requested, respond = threading.Event(), threading.Event()
    read = harness.source.read

    def slowly() -> bytes:
        requested.set()
        assert respond.wait(120)
        return read()

    harness.source.read = slowly  # type: ignore[method-assign]
    return requested, respond


def test_a_known_key_is_found_while_another_thread_reads_the_keys(harness: Harness) -> None:
    """One thread reads fresh keys from a slow issuer; the others use the cache."""
    assert harness.finds()
    requested, respond = slow_down(harness)
    harness.seconds += FRESH
    with ThreadPoolExecutor(1) as one:
        waiting = one.submit(harness.finds)
        assert requested.wait(60)
        assert harness.finds()
        assert not waiting.done()
        respond.set()
        assert waiting.result(60)


def test_an_unknown_key_is_refused_at_once_while_another_thread_reads_the_keys(
    harness: Harness,
) -> None:
    """An unknown key id causes a read from a slow issuer; the next one does not wait for it."""
    assert harness.finds()
    requested, respond = slow_down(harness)
    harness.seconds += PAUSE
    with ThreadPoolExecutor(2) as two:
        waiting = two.submit(harness.finds, "unknown")
        assert requested.wait(60)
        next_ = two.submit(harness.finds, "unknown, too")
        try:
            assert next_.result(60) is False
            assert not waiting.done()
        finally:
            respond.set()
        assert waiting.result(60) is False
    assert harness.source.asked == 2


def test_several_matching_keys_are_an_error(harness: Harness) -> None:
    harness.source.data = jwks(jwk("rsa"), jwk("other"))
    with pytest.raises(NotAuthenticated, match="several keys"):
        harness.keys.key(None, "RS256")
    assert harness.finds("rsa")


LEFT_OUT: dict[str, Callable[[], object]] = {
    "for encryption": lambda: jwk("rsa", use="enc"),
    "to sign with": lambda: jwk("rsa", key_ops=["sign"]),
    "operations of no kind": lambda: jwk("rsa", key_ops="verify"),
    "for another algorithm": lambda: jwk("rsa", alg="RSA-OAEP"),
    "a secret": lambda: {"kty": "oct", "k": "c2VjcmV0", "kid": "rsa", "alg": "HS256"},
    "too small": lambda: jwk("small"),
    "without its number": lambda: {"kty": "RSA", "kid": "rsa", "e": "AQAB"},
    "numbers that are not text": lambda: {"kty": "RSA", "kid": "rsa", "n": 5, "e": []},
    "an unknown curve": lambda: jwk("ec", crv="P-999"),
    "the curve of another key": lambda: jwk("ec", crv="P-384"),
    "an unknown kind": lambda: {"kty": "LWE"},
    "a kind that is no text": lambda: {"kty": ["RSA"]},
    "an id that is no text": lambda: jwk("rsa", kid=5),
    "no object": lambda: "rsa",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_an_unusable_key_is_left_out_and_the_others_stay(name: str) -> None:
    assert [key.id for key in signing_keys(jwks(LEFT_OUT[name](), jwk("ed")))] == ["ed"]


def test_a_key_is_for_the_algorithms_of_its_kind() -> None:
    found = signing_keys(jwks(jwk("rsa"), jwk("rsa", alg="PS384"), jwk("ec"), jwk("ed")))
    assert [key.algorithms for key in found] == [
        ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        ("PS384",),
        ("ES256",),
        ("EdDSA",),
    ]


def test_a_set_with_too_many_keys_is_refused() -> None:
    with pytest.raises(NotAuthenticated, match="up to 100"):
        signing_keys(jwks(*[{"kty": "RSA"}] * (MAX_KEYS + 1)))
