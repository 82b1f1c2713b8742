"""A token is accepted if its issuer signed it, for this audience, and it is valid now."""

import json
from collections.abc import Callable

import pytest

from docgraph.adapters.jwt.verifier import MAX_KEY_ID_LENGTH
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


def assert_refused(credential: str, reason: str) -> None:
    with pytest.raises(NotAuthenticated, match=reason) as raised:
        issuer().verify(credential)
    assert credential[:20] not in str(raised.value) or credential == ""


@pytest.mark.requirement(38)
@pytest.mark.parametrize("kid", PUBLISHED)
def test_a_token_that_its_issuer_signed_gives_its_claims(kid: str) -> None:
    assert issuer().verify(token(kid=kid)) == CLAIMS


@pytest.mark.parametrize(
    "header", [{"typ": None}, {"typ": "at+jwt"}, {"typ": "application/AT+JWT"}, {"typ": "jwt"}]
)
def test_the_type_of_an_access_token_may_be_absent_or_have_several_spellings(
    header: dict[str, str | None],
) -> None:
    full = {**GOOD, **{name: value for name, value in header.items() if value is not None}}
    assert issuer().verify(sign(full, CLAIMS)) == CLAIMS


def test_a_token_for_several_audiences_is_accepted_by_each() -> None:
    assert issuer().verify(token(aud=["others", "docgraph"]))["sub"] == "ann"


def test_a_token_without_a_key_id_is_verified_with_the_only_matching_key() -> None:
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
        "signature is not valid",
    ),
    "not pinned": lambda: (token(header={"alg": "RS512"}), "not allowed"),
    "PS256 is not pinned": lambda: (token(header={"alg": "PS256"}), "not allowed"),
    "algorithm of another key": lambda: (token(header={"alg": "ES256"}), "no key of"),
    "key of another kind": lambda: (token(header={"kid": "ec"}), "no key of"),
    "unknown kid": lambda: (token(header={"kid": "unknown"}), "no key of"),
    "kid as a path": lambda: (token(header={"kid": "../../etc/passwd"}), "no key of"),
    "kid as SQL": lambda: (token(header={"kid": "' UNION SELECT 'x"}), "no key of"),
    "kid a number": lambda: (token(header={"kid": 1}), "not a short string"),
    "kid a list": lambda: (token(header={"kid": ["rsa"]}), "not a short string"),
    "kid too long": lambda: (
        token(header={"kid": "k" * (MAX_KEY_ID_LENGTH + 1)}),
        "not a short string",
    ),
    "a key in the header": lambda: (
        token(kid="other", header={"jwk": {"kty": "RSA"}, "jku": "https://evil.example"}),
        "no key of",
    ),
    "signed with another key": lambda: (
        token(kid="other", header={"kid": "rsa"}),
        "signature is not valid",
    ),
    "crit": lambda: (token(header={"crit": ["exp"]}), "requires an extension"),
    "crit, empty": lambda: (token(header={"crit": []}), "requires an extension"),
    "b64": lambda: (token(header={"b64": False, "crit": ["b64"]}), "requires an extension"),
    "a logout token": lambda: (token(header={"typ": "logout+jwt"}), "not that of an access token"),
    "typ a number": lambda: (token(header={"typ": 1}), "not that of an access token"),
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
def test_a_token_with_a_forged_or_malformed_header_is_refused(name: str) -> None:
    credential, reason = HEADERS[name]()
    assert_refused(credential, reason)


@pytest.mark.requirement(38)
@pytest.mark.parametrize(
    ("changes", "reason"),
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
def test_issuer_audience_and_times_must_match(changes: dict[str, object], reason: str) -> None:
    assert_refused(token({**CLAIMS, **changes}), reason)


def test_clocks_may_differ_by_the_leeway_only() -> None:
    for changes in ({"exp": NOW - 59}, {"nbf": NOW + 60}, {"iat": NOW + 60}):
        assert issuer().verify(token({**CLAIMS, **changes}))["sub"] == "ann"
        with pytest.raises(NotAuthenticated):
            issuer(leeway=0).verify(token({**CLAIMS, **changes}))


@pytest.mark.parametrize(
    ("payload", "reason"),
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
def test_an_ambiguous_or_malformed_payload_is_refused(payload: bytes, reason: str) -> None:
    assert_refused(sign(GOOD, payload), reason)


@pytest.mark.parametrize(
    "credential",
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
def test_a_credential_that_is_not_a_jwt_is_refused(credential: str) -> None:
    with pytest.raises(NotAuthenticated):
        issuer().verify(credential)


def test_a_token_that_was_changed_is_refused() -> None:
    header, payload, signature = token().split(".")
    other_subject = part({**CLAIMS, "sub": "root"})
    for credential in (
        f"{header}.{other_subject}.{signature}",
        f"{header}.{payload}.{part(b'x' * 256)}",
        f"{header}.{payload}.{signature[:-4]}",
        f"{header}.{payload}.{signature}AAAA",
        f"{part({**GOOD, 'typ': 'at+jwt'})}.{payload}.{signature}",
    ):
        assert_refused(credential, "signature is not valid")


def test_a_token_that_is_too_long_is_refused() -> None:
    assert_refused(token(note="x" * LONGEST_TOKEN), "more than 16,384 characters")
