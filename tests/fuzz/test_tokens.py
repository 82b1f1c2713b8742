"""Any Authorization header authenticates the subject of a valid signature, or nobody."""

import base64
import json
from functools import cache
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from docgraph.interfaces.auth.authentication import Authentication
from docgraph.interfaces.auth.tokens import TokenAuthentication
from docgraph.model.access import RIGHTS, Principal
from docgraph.model.errors import NotAuthenticated
from docgraph.wiring.auth_settings import ClaimNames, IssuerSettings
from tests.fuzz.mutations import HOSTILE, mutated_texts, mutated_trees, trees
from tests.support.signed_tokens import (
    AUDIENCE,
    CLAIMS,
    NAME,
    issuer,
    jwk,
    jwks,
    part,
    pem,
    private_key,
    sign,
    token,
    with_secret,
)
from tests.support.signed_tokens import PublishedKeys as Keys

HEADER = {"alg": "RS256", "kid": "rsa", "typ": "JWT"}
FULL = {
    **CLAIMS,
    "org": {"id": "acme"},
    "groups": ["staff", "board", "local", "everyone"],
    "labels": ["eu"],
    "level": 2,
    "roles": ["ingest", "other"],
}
SETTINGS = IssuerSettings(
    NAME,
    AUDIENCE,
    "keys.json",
    claims=ClaimNames("sub", "org.id", "groups", "labels", "level", "roles"),
)
WORDS = ("Bearer ", "bearer", "Basic ", "dg_", ".", "=", " ", "\n", "eyJhbGciOiJub25lIn0")

headers = st.just(HEADER) | mutated_trees(HEADER) | trees
payloads = st.just(FULL) | mutated_trees(FULL) | trees
near = st.deferred(lambda: mutated_texts([f"Bearer {token(FULL)}"], WORDS))
any_bytes = st.binary(max_size=40)


@cache
def login() -> Authentication:
    keys = Keys(jwks(jwk("rsa")))
    return Authentication(tokens=TokenAuthentication([(issuer(keys, ("RS256",)), SETTINGS)]))


def authenticate(shown: str | None) -> Principal | None:
    """Nothing but NotAuthenticated is raised, and it repeats nothing of what was shown."""
    try:
        return login().authenticate(shown)
    except NotAuthenticated as error:
        message = str(error)
    assert shown is None or len(shown) < 60 or shown[:60] not in message
    return None


def verified_claims(header: str) -> Any:
    """What the text between the dots says, if the issuer's key made the signature over it."""
    text, _, signature = header.split(" ", 1)[1].strip().rpartition(".")
    try:
        private_key("rsa").public_key().verify(
            base64.urlsafe_b64decode(signature + "=="), text.encode(), PKCS1v15(), SHA256()
        )
    except InvalidSignature:
        pytest.fail("nobody vouches for this one")
    payload = text.partition(".")[2]
    return json.loads(base64.urlsafe_b64decode(payload + "=="))


def check(shown: str) -> None:
    somebody = authenticate(shown)
    if somebody is None:
        return
    claims = verified_claims(shown)
    assert (claims["iss"], somebody.id) == (NAME, claims["sub"])
    assert claims["aud"] == AUDIENCE or AUDIENCE in claims["aud"]
    assert somebody.tenant == claims["org"]["id"]
    assert somebody.groups <= set(as_list(claims.get("groups"))) - {"local", "everyone"}
    assert somebody.labels <= set(as_list(claims.get("labels")))
    assert somebody.rights <= set(as_list(claims.get("roles"))) & set(RIGHTS)
    assert somebody.clearance == (claims.get("level") or 0) >= 0


def as_list(said: Any) -> list[str]:
    return [said] if isinstance(said, str) else said or []


def test_a_good_one_comes_in() -> None:
    check(f"Bearer {token(FULL)}")
    somebody = authenticate(f"bearer  {token(FULL)} ")
    assert somebody is not None
    assert (somebody.tenant, somebody.clearance) == ("acme", 2)
    assert somebody.rights == {"ingest"}


@given(near | st.text() | st.sampled_from(HOSTILE).map("Bearer {}".format))
def test_a_header_of_any_text_is_somebody_or_nobody(shown: str) -> None:
    check(shown)


@given(headers, payloads)
def test_whatever_the_issuer_signs_is_never_read_wider_than_it_is(header: Any, said: Any) -> None:
    check(f"Bearer {sign(header, said)}")


@given(any_bytes, any_bytes | payloads.map(json.dumps).map(str.encode))
def test_bytes_that_the_issuer_signs_are_read_or_refused(header: bytes, said: bytes) -> None:
    check(f"Bearer {sign(header, said)}")
    check(f"Bearer {sign(HEADER, said)}")


@given(headers, payloads, any_bytes)
def test_what_nobody_signed_lets_nobody_in(header: Any, said: Any, signature: bytes) -> None:
    forged = (
        sign(header, said, "other"),
        f"{part(header)}.{part(said)}.{part(signature)}",
        with_secret(header if isinstance(header, dict) else HEADER, pem("rsa")),
    )
    assert [authenticate(f"Bearer {one}") for one in forged] == [None, None, None]
