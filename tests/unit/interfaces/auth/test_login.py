"""Who comes in: by an API key or a token in the Authorization header, and by nothing else."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from docgraph.interfaces.auth.api_keys import (
    ApiKeyAuthentication,
    hash_secret,
    key_id_in,
    new_secret,
)
from docgraph.interfaces.auth.authentication import Authentication
from docgraph.interfaces.auth.principals import impersonated, local, principal_of_job
from docgraph.interfaces.auth.tokens import TokenAuthentication
from docgraph.model.access import ApiKey, Person
from docgraph.model.errors import NotAuthenticated
from docgraph.model.ingest_job import IngestJob, IngestJobRequest
from docgraph.ports.auth import LONGEST_TOKEN
from docgraph.wiring.auth_settings import IssuerSettings
from tests.support.memory_keys import MemoryKeys
from tests.support.signed_tokens import AUDIENCE, NAME, PublishedKeys, issuer, jwk, jwks, token

ANN = Person("ann", "t", frozenset({"staff"}), frozenset({"eu"}), 2, frozenset({"ingest"}))
SETTINGS = IssuerSettings(NAME, AUDIENCE, "keys.json", tenant="t")


class Gate:
    """A store that knows ann, and a key that stands for her."""

    def __init__(self) -> None:
        self.people = {("t", "ann"): ANN}
        self.now = datetime(2026, 1, 15, tzinfo=UTC)
        self.keys = MemoryKeys()
        self.secret = self.given()
        self.login = Authentication(
            ApiKeyAuthentication(
                self.keys, lambda *who: self.people.get(who), now=lambda: self.now
            ),
            TokenAuthentication([(issuer(), SETTINGS)]),
        )

    def given(self, expires: str | None = None, tenant: str = "t") -> str:
        key_id, secret = new_secret()
        made = ApiKey(key_id, tenant, "ann", "2026-01-01T00:00:00+00:00", expires)
        self.keys.add(made, hash_secret(secret))
        return secret


@pytest.fixture
def gate() -> Gate:
    return Gate()


def refused(login: Authentication, shown: str | None, why: str) -> None:
    with pytest.raises(NotAuthenticated, match=why):
        login.authenticate(shown)


@pytest.mark.requirement(38)
def test_a_key_is_the_person_with_the_rights_they_have_now(gate: Gate) -> None:
    found = gate.login.authenticate(f"Bearer {gate.secret}")
    by = f"key {key_id_in(gate.secret)}"
    assert found == impersonated(ANN, replace(local(), id=by))
    gate.people["t", "ann"] = Person("ann", "t")
    assert gate.login.authenticate(f"Bearer {gate.secret}").groups == frozenset()


def test_a_key_for_somebody_who_is_gone_lets_nobody_in(gate: Gate) -> None:
    gate.people.clear()
    refused(gate.login, f"Bearer {gate.secret}", "'ann', who is not known any more")


def test_a_key_is_for_its_own_tenant(gate: Gate) -> None:
    refused(gate.login, f"Bearer {gate.given(tenant='u')}", "not known any more")


def test_a_key_that_was_taken_back_lets_nobody_in(gate: Gate) -> None:
    gate.keys.remove("t", str(key_id_in(gate.secret)))
    refused(gate.login, f"Bearer {gate.secret}", "unknown, or another secret")


def test_a_key_lets_in_until_it_expires_and_not_then(gate: Gate) -> None:
    shown = f"Bearer {gate.given(expires='2026-01-15T00:00:01+00:00')}"
    assert gate.login.authenticate(shown).id == "ann"
    gate.now = datetime(2026, 1, 15, 0, 0, 1, tzinfo=UTC)
    refused(gate.login, shown, "has expired")


def test_a_secret_counts_to_its_last_letter(gate: Gate) -> None:
    other = new_secret()[1]
    mixed = gate.secret[: len("dg_") + 13] + other[len("dg_") + 13 :]
    for shown in (mixed, other):
        refused(gate.login, f"Bearer {shown}", "unknown, or another secret")
    changed = gate.secret[:-1] + ("A" if gate.secret[-1] != "A" else "B")
    refused(gate.login, f"Bearer {changed}", "unknown, or another secret")
    for shown in (gate.secret[:-1], gate.secret + "A", "dg_", gate.secret.upper(), "dg_é"):
        refused(gate.login, f"Bearer {shown}", "no API key|not a token")


def test_refusals_never_repeat_a_secret(gate: Gate) -> None:
    for shown in (new_secret()[1], gate.secret + "x", gate.secret[:-1]):
        with pytest.raises(NotAuthenticated) as message:
            gate.login.authenticate(f"Bearer {shown}")
        assert shown[-20:] not in str(message.value)


def test_secrets_are_random_and_only_their_hash_can_be_kept() -> None:
    made = {new_secret() for _ in range(100)}
    assert len({key_id for key_id, _ in made}) == len({secret for _, secret in made}) == 100
    for key_id, secret in made:
        assert key_id_in(secret) == key_id
        assert len(secret) == len("dg_") + 12 + 1 + 43
        assert len(hash_secret(secret)) == 32


@pytest.mark.requirement(38)
def test_a_token_is_whom_its_issuer_says(gate: Gate) -> None:
    found = gate.login.authenticate(f"Bearer {token(sub='eve')}")
    assert (found.id, found.tenant, found.by) == ("eve", "t", f"token {NAME}")
    assert (found.groups, found.rights) == (frozenset(), frozenset())


def test_of_several_issuers_a_tokens_own_is_asked() -> None:
    asked = PublishedKeys(jwks(jwk("rsa")))
    others = issuer(PublishedKeys(jwks(jwk("other"))))
    others.name = "https://others.example.com"
    both = Authentication(
        tokens=TokenAuthentication([(others, SETTINGS), (issuer(asked), SETTINGS)])
    )
    assert both.authenticate(f"Bearer {token()}").id == "ann"
    refused(
        both, f"Bearer {token(kid='other')}", "others.example.com: .* another issuer; .* no key"
    )
    assert asked.asked == 1


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_written_as_one_likes(gate: Gate, scheme: str) -> None:
    assert gate.login.authenticate(f"{scheme} {gate.secret}").id == "ann"


@pytest.mark.parametrize(
    "shown",
    [
        None,
        "",
        " ",
        "Bearer",
        "Bearer ",
        "Bearer   ",
        "Basic YW5uOmFubg==",
        "Bearer\tx",
        "ann",
        "\0",
    ],
)
def test_what_is_no_credential_is_nobodys(gate: Gate, shown: str | None) -> None:
    refused(gate.login, shown, "Authorization header")


def test_a_header_that_is_too_long_is_not_looked_at(gate: Gate) -> None:
    refused(gate.login, "Bearer " + "x" * LONGEST_TOKEN, "more than 16,384 characters")


def test_only_what_is_configured_is_taken(gate: Gate) -> None:
    only_tokens = Authentication(tokens=TokenAuthentication([(issuer(), SETTINGS)]))
    refused(only_tokens, f"Bearer {gate.secret}", "an API key was shown, and none is taken")
    only_keys = Authentication(
        ApiKeyAuthentication(gate.keys, lambda *_: ANN, now=lambda: gate.now)
    )
    refused(only_keys, f"Bearer {token()}", "a token was shown, and none is taken")
    assert not only_tokens.open_to_local
    assert not only_keys.open_to_local


def test_without_a_login_everyone_is_the_person_at_the_keyboard() -> None:
    assert Authentication().open_to_local
    assert (
        Authentication().authenticate(None) == Authentication().authenticate("Bearer x") == local()
    )


def test_an_ingestion_is_done_with_the_rights_of_who_asked() -> None:
    asked = IngestJob("i", ANN, "key k", IngestJobRequest("p", "r"), "queued", 0, "", "")
    found = principal_of_job(asked)
    assert found == impersonated(ANN, replace(local(), id="key k"))
