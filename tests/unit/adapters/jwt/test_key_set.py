"""An issuer's keys: which of them count, how long they are kept, and how often they are read."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from docgraph.adapters.jwt.jwks import FRESH, MOST_KEYS, PAUSE, USABLE, KeySet, signing_keys
from docgraph.model.errors import NotAuthenticated
from tests.support.signed_tokens import PublishedKeys, jwk, jwks

SHORT = 1.0


class Down(PublishedKeys):
    """Answers until it is down."""

    down = False

    def read(self) -> bytes:
        data = super().read()
        if self.down:
            raise NotAuthenticated("the issuer is down")
        return data


class World:
    def __init__(self) -> None:
        self.seconds = 1000.0
        self.source = Down(jwks(jwk("rsa")))
        self.keys = KeySet(self.source, clock=lambda: self.seconds)

    def finds(self, kid: str | None = "rsa", algorithm: str = "RS256") -> bool:
        try:
            return self.keys.key(kid, algorithm).id == (kid or "rsa")
        except NotAuthenticated:
            return False


@pytest.fixture
def world() -> World:
    return World()


def test_keys_are_read_once_and_kept(world: World) -> None:
    assert all(world.finds() for _ in range(5))
    assert world.source.asked == 1


def test_keys_are_read_again_when_they_are_old(world: World) -> None:
    assert world.finds()
    world.source.data = jwks(jwk("other"))
    world.seconds += FRESH
    assert world.finds("other")
    assert not world.finds("rsa")


def test_a_key_that_is_new_is_read_when_a_token_names_it(world: World) -> None:
    assert world.finds()
    world.source.data = jwks(jwk("rsa"), jwk("other"))
    world.seconds += PAUSE
    assert world.finds("other")
    assert world.source.asked == 2


def test_strangers_cannot_make_us_ask_again_and_again(world: World) -> None:
    assert world.finds()
    for number in range(1000):
        assert not world.finds(f"unknown {number}")
    assert world.source.asked == 1
    world.seconds += PAUSE
    for number in range(1000):
        assert not world.finds(f"unknown {number}")
    assert world.source.asked == 2


def test_an_issuer_that_is_down_is_not_asked_again_and_again(world: World) -> None:
    world.source.down = True
    assert not any(world.finds() for _ in range(100))
    assert world.source.asked == 1
    with pytest.raises(NotAuthenticated, match="not to be had: the issuer is down"):
        world.keys.key("rsa", "RS256")
    world.source.down = False
    world.seconds += PAUSE
    assert world.finds()


def test_while_the_issuer_is_down_old_keys_count_but_not_for_ever(world: World) -> None:
    assert world.finds()
    world.source.down = True
    world.seconds += USABLE - SHORT
    assert world.finds()
    world.seconds += SHORT
    assert not world.finds()


def test_what_is_no_set_of_keys_takes_nothing_from_the_old_one(world: World) -> None:
    assert world.finds()
    for nonsense in (b"", b"<html>", b"[]", b'{"keys": {}}', b'{"keys": [], "keys": []}'):
        world.source.data = nonsense
        world.seconds += FRESH / 10
        assert world.finds()


def slowed(world: World) -> tuple[threading.Event, threading.Event]:
    """The issuer answers when it is let: one event tells that it was asked, the other lets it."""
    asked, answer = threading.Event(), threading.Event()
    read = world.source.read

    def slowly() -> bytes:
        asked.set()
        assert answer.wait(10)
        return read()

    world.source.read = slowly  # type: ignore[method-assign]
    return asked, answer


def test_who_knows_their_key_waits_for_nobody(world: World) -> None:
    """One asks a slow issuer for fresh keys; the others go on."""
    assert world.finds()
    asked, answer = slowed(world)
    world.seconds += FRESH
    with ThreadPoolExecutor(1) as one:
        waiting = one.submit(world.finds)
        assert asked.wait(10)
        assert world.finds()
        assert not waiting.done()
        answer.set()
        assert waiting.result(10)


def test_strangers_wait_for_nobody_either(world: World) -> None:
    """One has us ask a slow issuer for a key that nobody knows; the next hear no at once."""
    assert world.finds()
    asked, answer = slowed(world)
    world.seconds += PAUSE
    with ThreadPoolExecutor(2) as two:
        waiting = two.submit(world.finds, "unknown")
        assert asked.wait(10)
        next_ = two.submit(world.finds, "unknown, too")
        try:
            assert next_.result(5) is False
            assert not waiting.done()
        finally:
            answer.set()
        assert waiting.result(10) is False
    assert world.source.asked == 2


def test_several_keys_that_fit_are_none(world: World) -> None:
    world.source.data = jwks(jwk("rsa"), jwk("other"))
    with pytest.raises(NotAuthenticated, match="several keys"):
        world.keys.key(None, "RS256")
    assert world.finds("rsa")


LEFT_OUT: dict[str, Callable[[], object]] = {
    "for encryption": lambda: jwk("rsa", use="enc"),
    "to sign with": lambda: jwk("rsa", key_ops=["sign"]),
    "operations of no kind": lambda: jwk("rsa", key_ops="verify"),
    "for another algorithm": lambda: jwk("rsa", alg="RSA-OAEP"),
    "a secret": lambda: {"kty": "oct", "k": "c2VjcmV0", "kid": "rsa", "alg": "HS256"},
    "too small": lambda: jwk("small"),
    "without its number": lambda: {"kty": "RSA", "kid": "rsa", "e": "AQAB"},
    "numbers that are none": lambda: {"kty": "RSA", "kid": "rsa", "n": 5, "e": []},
    "a curve that nobody knows": lambda: jwk("ec", crv="P-999"),
    "a curve that does not fit": lambda: jwk("ec", crv="P-384"),
    "a kind that nobody knows": lambda: {"kty": "LWE"},
    "a kind that is no text": lambda: {"kty": ["RSA"]},
    "an id that is no text": lambda: jwk("rsa", kid=5),
    "no object": lambda: "rsa",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_key_that_is_not_for_this_is_left_out_and_the_others_stay(name: str) -> None:
    assert [key.id for key in signing_keys(jwks(LEFT_OUT[name](), jwk("ed")))] == ["ed"]


def test_a_key_is_for_the_algorithms_of_its_kind() -> None:
    found = signing_keys(jwks(jwk("rsa"), jwk("rsa", alg="PS384"), jwk("ec"), jwk("ed")))
    assert [key.algorithms for key in found] == [
        ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
        ("PS384",),
        ("ES256",),
        ("EdDSA",),
    ]


def test_a_set_without_end_is_refused() -> None:
    with pytest.raises(NotAuthenticated, match="up to 100"):
        signing_keys(jwks(*[{"kty": "RSA"}] * (MOST_KEYS + 1)))
