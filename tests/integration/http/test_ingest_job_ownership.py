"""Whose an ingestion is: of a tenant, a person and a kind of credential, with the rights of now."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docgraph.engine.ingest_jobs import NO_MORE
from docgraph.interfaces.auth.api_keys import hash_secret, new_secret
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.http.server.app_state import build_app_state
from docgraph.model.access import INGEST, ApiKey, Person
from docgraph.model.errors import BadInput
from docgraph.wiring.auth_settings import AuthSettings, ClaimNames, IssuerSettings
from docgraph.wiring.build import build_administration
from docgraph.wiring.server_settings import RootSettings
from docgraph.wiring.settings import Settings
from tests.integration.http.test_ingest_jobs import asked, made
from tests.support.http_app import HttpApp, key_for, open_app, settings_of
from tests.support.signed_tokens import jwk, jwks, token

A, B = "https://a.example", "https://b.example"
CLAIMS = ClaimNames(tenant="org", groups="groups", rights="roles")


@pytest.fixture
def place(tmp_path: Path) -> Settings:
    """Keys of `local`, an issuer of `local` too, another of `acme` and `works`."""
    root = made(tmp_path)
    (tmp_path / "works" / "plans").mkdir(parents=True)
    (tmp_path / "works" / "plans" / "a.md").write_text("# A\n", encoding="utf-8")
    roots = (
        RootSettings(str(root), "local"),
        RootSettings(str(root), "acme"),
        RootSettings(str(tmp_path / "works"), "works"),
    )
    for name, kid in (("a", "rsa"), ("b", "other")):
        (tmp_path / f"{name}.json").write_bytes(jwks(jwk(kid)))
    one = IssuerSettings(A, "docgraph", str(tmp_path / "a.json"), tenant="local", claims=CLAIMS)
    other = replace(one, issuer=B, jwks=str(tmp_path / "b.json"), tenant=None)
    login = AuthSettings(keys=True, tokens=(one, replace(other, tenants=("acme", "works"))))
    return replace(settings_of(tmp_path, roots=roots), login=login)


def of(issuer: str, sub: str = "ann", **claims: Any) -> str:
    now = time.time()
    times = {"exp": now + 600, "iat": now - 10, "nbf": now - 10}
    kid = "rsa" if issuer == A else "other"
    said = {"roles": [INGEST], **times, **claims}
    return f"Bearer {token(iss=issuer, kid=kid, sub=sub, **said)}"


def listed(api: HttpApp, who: str) -> list[str]:
    answer = api.client.get("/v1/ingestions", headers={"Authorization": who})
    assert answer.status_code == 200, answer.text
    return [one["id"] for one in answer.json()["ingestions"]]


@pytest.mark.requirement(38)
def test_a_name_of_another_issuer_is_another_person(place: Settings) -> None:
    with open_app(place) as api:
        key, by_a = key_for(place, "ann", rights=(INGEST,)), of(A)
        own = {who: asked(api, {"path": "notes"}, Authorization=who)["id"] for who in (key, by_a)}
        for who in (key, by_a):
            assert listed(api, who) == [own[who]]
        hidden = api.client.get(f"/v1/ingestions/{own[key]}", headers={"Authorization": by_a})
        absent = api.client.get("/v1/ingestions/none", headers={"Authorization": by_a})
        assert (hidden.status_code, hidden.content) == (404, absent.content)
    rows = build_administration(place).audit_entries(local(), who="ann")
    assert {row.event.authenticated_by.partition(" ")[0] for row in rows} == {"key", "token"}
    assert f"token {A}" in {row.event.authenticated_by for row in rows}


def test_another_key_of_the_same_person_shows_what_they_asked_for(place: Settings) -> None:
    with open_app(place) as api:
        key = key_for(place, "ann", rights=(INGEST,))
        found = asked(api, {"path": "notes"}, Authorization=key)
        key_id, secret = new_secret()
        added = ApiKey(key_id, "local", "ann", "2026-01-01T00:00:00+00:00")
        build_administration(place).add_key(local(), added, hash_secret(secret))
        assert listed(api, f"Bearer {secret}") == [found["id"]]


def test_a_root_of_another_tenant_is_as_absent_as_any(place: Settings) -> None:
    with open_app(place) as api:
        works, acme = of(B, org="works"), of(B, org="acme")
        assert asked(api, {"path": "plans"}, Authorization=works)["state"] == "succeeded"
        assert asked(api, {"path": "notes"}, Authorization=acme)["state"] == "succeeded"
        for who, path in ((works, "notes"), (acme, "plans"), (of(A), "plans")):
            answer = api.post("/v1/ingestions", {"path": path}, Authorization=who)
            absent = api.post("/v1/ingestions", {"path": "nowhere"}, Authorization=who)
            assert (answer.status_code, answer.content) == (404, absent.content)
        refused = api.post("/v1/ingestions", {"path": "notes"}, Authorization=of(B, org="local"))
        assert refused.status_code == 401


def test_a_plain_root_is_refused_at_the_start_where_several_tenants_come_in(
    place: Settings, tmp_path: Path
) -> None:
    plain = replace(place, serve=replace(place.serve, roots=(str(tmp_path),)))
    with pytest.raises(BadInput, match="whose is"):
        build_app_state(plain)


def test_others_move_no_byte_of_ones_own_list(place: Settings) -> None:
    """However many more they ask for than are listed."""
    with open_app(place) as api:
        ann, bob = key_for(place, "ann", rights=(INGEST,)), of(A, "bob")
        asked(api, {"path": "notes"}, Authorization=ann)
        before = api.client.get("/v1/ingestions", headers={"Authorization": ann}).content
        for _ in range(30):
            answer = api.post("/v1/ingestions", {"path": "notes"}, Authorization=bob)
            assert answer.status_code == 202
        after = api.client.get("/v1/ingestions", headers={"Authorization": ann}).content
        assert before == after


# Rights of now


def begun_later(place: Settings, who: str) -> str:
    """Requested of a server that ends before it begins it; the ingestion's id."""
    later = replace(place, serve=replace(place.serve, drain=0.0))
    with open_app(later) as api:
        assert api.state.runner is not None
        api.state.runner.stop_claiming()
        time.sleep(0.1)
        answer = api.post("/v1/ingestions", {"path": "notes"}, Authorization=who)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])


def what_became_of(place: Settings, name: str, tenant: str = "local") -> tuple[str, str]:
    with open_app(place) as api:
        for _ in range(500):
            found = api.state.engine.jobs.queue.get(tenant, name)
            assert found is not None
            if found.state in ("succeeded", "failed"):
                return found.state, found.error
            time.sleep(0.02)
    raise AssertionError(name)


@pytest.mark.requirement(38)
@pytest.mark.parametrize("lost", ["person", "key", "right"])
def test_what_waits_of_somebody_who_may_not_any_more_is_not_begun(
    place: Settings, lost: str
) -> None:
    ann = key_for(place, "ann", rights=(INGEST,))
    name = begun_later(place, ann)
    administration = build_administration(place)
    if lost == "person":
        administration.remove_person(local(), "ann")
    elif lost == "key":
        administration.remove_key(local(), administration.keys(local())[0].id)
    else:
        administration.add_person(local(), Person("ann", "local"))
    assert what_became_of(place, name) == ("failed", NO_MORE)
    last = administration.audit_entries(local(), who="ann")[-1].event
    assert (last.action, last.outcome, last.detail) == ("ingestions begin", "denied", NO_MORE)
    assert last.authenticated_by.startswith("key ")


def test_what_waits_is_done_with_the_rights_of_now(place: Settings) -> None:
    name = begun_later(place, key_for(place, "ann", "board", rights=(INGEST,)))
    build_administration(place).add_person(
        local(), Person("ann", "local", frozenset({"staff"}), rights=frozenset({INGEST}))
    )
    assert what_became_of(place, name) == ("succeeded", "")


def test_a_token_speaks_for_what_waits_for_a_day(
    place: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = begun_later(place, of(A))
    assert what_became_of(place, name) == ("succeeded", "")
    monkeypatch.setattr("docgraph.wiring.build._now", lambda: "2026-01-01T00:00:00+00:00")
    name = begun_later(place, of(A))
    assert what_became_of(place, name) == ("failed", NO_MORE)
