"""A token lets somebody in when its issuer signed it, for us, for now; nothing else does."""

import json
from collections.abc import Callable

import pytest

from docgraph.adapters.jwt.verifier import LONGEST_KEY_ID
from docgraph.model.errors import NotAuthenticated
from docgraph.ports.auth import LONGEST_TOKEN
from tests.support.signed_tokens import (
    CLAIMS,
    NAME,
    NOW,
    PUBLISHED,
    issuer,
    part,
    pem,
    sign,
    token,
    unsigned,
    with_secret,
)

GOOD = {"alg": "RS256", "kid": "rsa"}


def refused(shown: str, why: str) -> None:
    with pytest.raises(NotAuthenticated, match=why) as error:
        issuer().verify(shown)
    assert shown[:20] not in str(error.value) or shown == ""


@pytest.mark.requirement(38)
@pytest.mark.parametrize("kid", PUBLISHED)
def test_a_token_that_its_issuer_signed_says_what_it_says(kid: str) -> None:
    assert issuer().verify(token(kid=kid)) == CLAIMS


@pytest.mark.parametrize(
    "header", [{"typ": None}, {"typ": "at+jwt"}, {"typ": "application/AT+JWT"}, {"typ": "jwt"}]
)
def test_access_tokens_name_their_type_in_several_ways(header: dict[str, str | None]) -> None:
    written = {**GOOD, **{name: value for name, value in header.items() if value is not None}}
    assert issuer().verify(sign(written, CLAIMS)) == CLAIMS


def test_a_token_for_several_audiences_is_for_each_of_them() -> None:
    assert issuer().verify(token(aud=["others", "docgraph"]))["sub"] == "ann"


def test_a_token_that_names_no_key_is_checked_by_the_only_one_that_fits() -> None:
    assert issuer().verify(sign({"alg": "ES256"}, CLAIMS, "ec")) == CLAIMS


HEADERS: dict[str, Callable[[], tuple[str, str]]] = {
    "alg none": lambda: (unsigned({"alg": "none"}), "three parts"),
    "alg none, signed": lambda: (token(header={"alg": "none"}), "not allowed"),
    "alg None": lambda: (token(header={"alg": "None"}), "not allowed"),
    "alg nOnE": lambda: (token(header={"alg": "nOnE"}), "not allowed"),
    "no alg": lambda: (sign({"kid": "rsa"}, CLAIMS), "names no algorithm"),
    "alg null": lambda: (token(header={"alg": None}), "names no algorithm"),
    "alg list": lambda: (token(header={"alg": ["RS256"]}), "names no algorithm"),
    "HS256 with the public key": lambda: (
        with_secret({"alg": "HS256", "kid": "rsa"}, pem("rsa")),
        "not allowed",
    ),
    "RS256 with the public key as secret": lambda: (
        with_secret(GOOD, pem("rsa")),
        "signature does not hold",
    ),
    "not pinned": lambda: (token(header={"alg": "RS512"}), "not allowed"),
    "PS256 is not pinned": lambda: (token(header={"alg": "PS256"}), "not allowed"),
    "algorithm of another key": lambda: (token(header={"alg": "ES256"}), "no key of"),
    "key of another kind": lambda: (token(header={"kid": "ec"}), "no key of"),
    "unknown kid": lambda: (token(header={"kid": "unknown"}), "no key of"),
    "kid as a path": lambda: (token(header={"kid": "../../etc/passwd"}), "no key of"),
    "kid as SQL": lambda: (token(header={"kid": "' UNION SELECT 'x"}), "no key of"),
    "kid a number": lambda: (token(header={"kid": 1}), "no short text"),
    "kid a list": lambda: (token(header={"kid": ["rsa"]}), "no short text"),
    "kid too long": lambda: (token(header={"kid": "k" * (LONGEST_KEY_ID + 1)}), "no short text"),
    "a key along with it": lambda: (
        token(kid="other", header={"jwk": {"kty": "RSA"}, "jku": "https://evil.example"}),
        "no key of",
    ),
    "signed by another": lambda: (
        token(kid="other", header={"kid": "rsa"}),
        "signature does not hold",
    ),
    "crit": lambda: (token(header={"crit": ["exp"]}), "asks for an extension"),
    "crit, empty": lambda: (token(header={"crit": []}), "asks for an extension"),
    "b64": lambda: (token(header={"b64": False, "crit": ["b64"]}), "asks for an extension"),
    "a logout token": lambda: (token(header={"typ": "logout+jwt"}), "lets nobody in"),
    "typ a number": lambda: (token(header={"typ": 1}), "lets nobody in"),
    "a name twice": lambda: (
        sign(b'{"alg":"none","alg":"RS256","kid":"rsa"}', CLAIMS),
        "names a key twice",
    ),
    "no JSON": lambda: (sign(b"{alg: RS256}", CLAIMS), "not JSON"),
    "no object": lambda: (sign([1], CLAIMS), "no JSON object"),
    "deep": lambda: (sign(b"[" * 5000, CLAIMS), "not JSON"),
    "no text": lambda: (sign(b'{"alg":"\xff"}', CLAIMS), "not JSON"),
}


@pytest.mark.requirement(38)
@pytest.mark.parametrize("name", HEADERS)
def test_what_a_header_says_of_itself_opens_nothing(name: str) -> None:
    shown, why = HEADERS[name]()
    refused(shown, why)


@pytest.mark.requirement(38)
@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"iss": None}, "another issuer"),
        ({"iss": "https://id.example.com/"}, "another issuer"),
        ({"iss": [NAME]}, "another issuer"),
        ({"aud": None}, "another audience"),
        ({"aud": "docgraph2"}, "another audience"),
        ({"aud": []}, "another audience"),
        ({"aud": ["docgraph", 1]}, "another audience"),
        ({"aud": {"docgraph": True}}, "another audience"),
        ({"exp": None}, "no 'exp'"),
        ({"exp": "9999999999"}, "no 'exp'"),
        ({"exp": True}, "no 'exp'"),
        ({"exp": 10**300}, "no 'exp'"),
        ({"exp": -1}, "no 'exp'"),
        ({"exp": NOW - 60}, "has expired"),
        ({"exp": 0}, "has expired"),
        ({"nbf": NOW + 61}, "not valid yet, by its 'nbf'"),
        ({"nbf": "0"}, "no 'nbf'"),
        ({"iat": NOW + 61}, "not valid yet, by its 'iat'"),
        ({"iat": [0]}, "no 'iat'"),
    ],
)
def test_a_token_is_for_us_and_for_now(changes: dict[str, object], why: str) -> None:
    refused(token({**CLAIMS, **changes}), why)


def test_clocks_may_differ_by_the_leeway_and_no_more() -> None:
    for changes in ({"exp": NOW - 59}, {"nbf": NOW + 60}, {"iat": NOW + 60}):
        assert issuer().verify(token({**CLAIMS, **changes}))["sub"] == "ann"
        with pytest.raises(NotAuthenticated):
            issuer(leeway=0).verify(token({**CLAIMS, **changes}))


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b'{"iss": 1, "iss": 2}', "names a key twice"),
        (json.dumps(CLAIMS).encode()[:-1] + b', "x": {"sub": 1, "sub": 2}}', "names a key twice"),
        (json.dumps({**CLAIMS, "exp": 0}).replace('"exp": 0', '"exp": 1e999').encode(), "no 'exp'"),
        (json.dumps({**CLAIMS, "exp": 0}).replace('"exp": 0', '"exp": NaN').encode(), "not JSON"),
        (json.dumps({**CLAIMS, "exp": 0}).replace(": 0", ": " + "9" * 5000).encode(), "not JSON"),
        (b"[" * 9000, "not JSON"),
        (b"null", "no JSON object"),
        (b"\xff\xfe", "not JSON"),
        (json.dumps(CLAIMS).encode("utf-16"), "not JSON"),
    ],
)
def test_a_payload_has_one_reading_or_none(payload: bytes, why: str) -> None:
    refused(sign(GOOD, payload), why)


@pytest.mark.parametrize(
    "shown",
    [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c.d",
        "….….…",
        "é.é.é",
        "a.b.c\n",
        " a.b.c",
        "a=.b.c",
        "\0.\0.\0",
        "A.B.C",
        "😀",
    ],
)
def test_what_is_no_token_is_nobodys(shown: str) -> None:
    with pytest.raises(NotAuthenticated):
        issuer().verify(shown)


def test_a_token_that_was_changed_is_refused() -> None:
    header, payload, signature = token().split(".")
    better = part({**CLAIMS, "sub": "root"})
    for shown in (
        f"{header}.{better}.{signature}",
        f"{header}.{payload}.{part(b'x' * 256)}",
        f"{header}.{payload}.{signature[:-4]}",
        f"{header}.{payload}.{signature}AAAA",
        f"{part({**GOOD, 'typ': 'at+jwt'})}.{payload}.{signature}",
    ):
        refused(shown, "signature does not hold")


def test_a_token_that_is_too_long_is_not_looked_at() -> None:
    refused(token(note="x" * LONGEST_TOKEN), "more than 16,384 characters")
