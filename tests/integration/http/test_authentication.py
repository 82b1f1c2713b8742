"""Who comes in is decided by one header and by nothing else; what they may not see is not there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docgraph.model.access import INGEST, RELATIONS
from docgraph.wiring.settings import Settings
from tests.support.http_app import NOTES, HttpApp, ingest_notes, key_for, open_app, settings_of

ASKED = {"question": "the worker of the secret queue"}
EDGE = {"source": "notes:queue.md", "relation": "explains", "target": "notes:worker.md"}


class Locked:
    """An API with authentication: ann is on the board, bob reads what everyone reads."""

    def __init__(self, api: HttpApp, settings: Settings) -> None:
        self.api = api
        self.ann = key_for(settings, "ann", "board", rights=(RELATIONS,))
        self.bob = key_for(settings, "bob", rights=(RELATIONS, INGEST))

    def asked(self, who: str, method: str, path: str, **data: Any) -> Any:
        return self.api.client.request(method, path, headers={"Authorization": who}, **data)


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    settings = settings_of(tmp_path_factory.mktemp("locked"), keys=True)
    with open_app(settings) as api:
        ingest_notes(api.state)
        yield Locked(api, settings)


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locked]:
    """The same without what bob may not see."""
    settings = settings_of(tmp_path_factory.mktemp("without"), keys=True)
    with open_app(settings) as api:
        ingest_notes(api.state, {path: text for path, text in NOTES.items() if path != "secret.md"})
        yield Locked(api, settings)


PATHS = [
    ("POST", "/v1/search"),
    ("POST", "/v1/plans"),
    ("POST", "/v1/plans/execute"),
    ("POST", "/v1/retrieve"),
    ("POST", "/v1/ask"),
    ("GET", "/v1/nodes/notes:queue.md"),
    ("GET", "/v1/relations"),
    ("POST", "/v1/relations"),
    ("DELETE", "/v1/relations"),
    ("GET", "/v1/snapshots"),
    ("GET", "/v1/status"),
    ("POST", "/v1/explain"),
    ("POST", "/v1/receipts/replay"),
    ("POST", "/v1/ingestions"),
    ("GET", "/v1/ingestions"),
    ("GET", "/v1/ingestions/1"),
]


def test_these_are_all_addresses_that_need_a_login(locked: Locked) -> None:
    data = locked.api.client.get("/openapi.json").json()["paths"]
    there = {(method.upper(), path) for path, found in data.items() for method in found}
    named = {
        (m, p.replace("notes:queue.md", "{id}").replace("ingestions/1", "ingestions/{id}"))
        for m, p in PATHS
    }
    assert there - named == {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")}


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Authorization", "Basic YW5uOmFubg==")],
        [("Authorization", "Bearer dg_000000000000_" + "a" * 43)],
        [("Authorization", "Bearer eyJhbGciOiJub25lIn0.e30.")],
        [
            ("X-User", "ann"),
            ("X-Forwarded-User", "ann"),
            ("Remote-User", "ann"),
            ("X-Tenant", "local"),
        ],
        [("Cookie", "user=ann"), ("X-Api-Key", "ann")],
    ],
    ids=["none", "basic", "unknown key", "unsigned", "names", "cookies"],
)
def test_nobody_comes_in_without_a_credential(
    locked: Locked, method: str, path: str, headers: list[tuple[str, str]]
) -> None:
    """Before anything of the request is looked at."""
    answer = locked.api.client.request(method, path, content=b"{", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    known = locked.api.client.request(method, path)
    assert answer.content == known.content


def test_two_credentials_are_none(locked: Locked) -> None:
    both = [("Authorization", locked.ann), ("Authorization", locked.bob)]
    answer = locked.api.client.get("/v1/snapshots", headers=both)
    assert answer.status_code == 401


def test_other_headers_change_nothing(locked: Locked) -> None:
    plain = locked.asked(locked.bob, "POST", "/v1/search", json=ASKED)
    claims = {
        "X-User": "ann",
        "X-Forwarded-User": "ann",
        "X-Groups": "board",
        "Forwarded": "for=ann",
    }
    data = locked.api.client.post(
        "/v1/search", json=ASKED, headers={"Authorization": locked.bob, **claims}
    )
    assert data.content == plain.content


@pytest.mark.parametrize(
    "key", ["tenant", "groups", "principal", "as", "as_", "user", "labels", "rights"]
)
def test_a_body_cannot_say_who_one_is(locked: Locked, key: str) -> None:
    for path in ("/v1/search", "/v1/retrieve", "/v1/ask", "/v1/plans", "/v1/explain"):
        answer = locked.asked(locked.bob, "POST", path, json={**ASKED, key: ["board"]})
        assert answer.status_code == 422


def test_who_may_read_reads(locked: Locked) -> None:
    found = locked.asked(locked.ann, "POST", "/v1/search", json=ASKED).json()
    assert "notes:secret.md" in [seed["id"] for seed in found["seeds"]["ranked"]]
    assert locked.asked(locked.ann, "GET", "/v1/nodes/notes:secret.md").status_code == 200


QUESTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/v1/nodes/notes:secret.md", {}),
    ("GET", "/v1/nodes/notes:secret.md@0", {}),
    ("GET", "/v1/relations", {}),
    ("GET", "/v1/relations?node=notes:secret.md", {}),
    ("POST", "/v1/relations", {**EDGE, "target": "notes:secret.md"}),
    ("POST", "/v1/relations", {**EDGE, "source": "notes:secret.md"}),
    ("DELETE", "/v1/relations?source=notes:secret.md&relation=explains&target=notes:queue.md", {}),
    ("POST", "/v1/search", ASKED),
    ("POST", "/v1/plans", {**ASKED, "receipt": True}),
    ("POST", "/v1/retrieve", {**ASKED, "receipt": True}),
    ("POST", "/v1/retrieve", {"seeds": ["notes:secret.md"]}),
    ("POST", "/v1/explain", {**ASKED, "node": "notes:secret.md"}),
    ("POST", "/v1/ask", ASKED),
    ("GET", "/v1/snapshots", {}),
    ("GET", "/openapi.json", {}),
]


@pytest.mark.requirement(36)
@pytest.mark.parametrize(("method", "path", "body"), QUESTIONS)
def test_forbidden_and_absent_give_the_same_bytes(
    locked: Locked, without: Locked, method: str, path: str, body: dict[str, Any]
) -> None:
    """And the same headers, but for the request's own id and the time of a snapshot."""
    data = {"json": body} if body else {}
    one, other = (api.asked(api.bob, method, path, **data) for api in (locked, without))
    assert one.status_code == other.status_code
    assert strip(one.text) == strip(other.text)
    assert same(one) == same(other)


def strip(text: str) -> object:
    found = json.loads(text) if text.startswith("{") else text
    for info in found.get("snapshots", ()) if isinstance(found, dict) else ():
        info.pop("created", None)
    return found


def same(answer: Any) -> dict[str, str]:
    own = {"x-request-id"}
    return {name: value for name, value in answer.headers.items() if name not in own}


def test_what_one_may_not_see_and_what_nobody_has_written_read_alike(locked: Locked) -> None:
    hidden = locked.asked(locked.bob, "GET", "/v1/nodes/notes:secret.md")
    absent = locked.asked(locked.bob, "GET", "/v1/nodes/notes:nothing.md")
    assert hidden.status_code == 404
    assert hidden.content.replace(b"secret", b"nothing") == absent.content


def test_a_right_is_needed_to_change_anything(locked: Locked, tmp_path: Path) -> None:
    eve = key_for(settings_of(Path(locked.api.state.engine.content.store._path).parent), "eve")  # type: ignore[attr-defined]  # noqa: SLF001
    for method, path, body in (
        ("POST", "/v1/relations", EDGE),
        ("POST", "/v1/ingestions", {"path": "x"}),
    ):
        answer = locked.asked(eve, method, path, json=body)
        assert answer.status_code == 403
        assert "right" in answer.json()["detail"]
    assert locked.asked(eve, "GET", "/v1/ingestions").status_code == 403
    assert locked.asked(eve, "GET", "/v1/ingestions/1").status_code == 403


def test_a_login_answers_under_any_name(locked: Locked) -> None:
    answer = locked.api.client.get("/healthz", headers={"Host": "docs.example.com"})
    assert answer.status_code == 200


# Without a login


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:80", "127.8.8.8"]
)
def test_without_a_login_this_machine_is_answered(api: HttpApp, host: str) -> None:
    assert api.client.get("/v1/snapshots", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0",
        "10.0.0.1",
        "",
        "[",
        "evil@127.0.0.1@evil",
        "localhost:evil.com",
        "localhost:80@evil.com",
        "localhost/evil.com",
        "localhost?evil.com",
        "127.0.0.1:80#evil.com",
        "[::1]evil.com",
        "127.0.0.\N{SUPERSCRIPT ONE}",
        "localhost:",
    ],
)
@pytest.mark.parametrize("path", ["/v1/snapshots", "/metrics", "/openapi.json", "/nowhere"])
def test_without_a_login_no_other_name_is_answered(api: HttpApp, host: str, path: str) -> None:
    """A page could make its own name lead here."""
    answer = api.client.get(path, headers=[(b"Host", host.encode("latin-1"))])
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://127.0.0.1.evil.example",
        "http://localhost:evil.com",
        "http://localhost@evil.com",
        "localhost",
    ],
)
def test_without_a_login_no_page_of_others_is_answered(api: HttpApp, origin: str) -> None:
    assert api.client.get("/v1/snapshots", headers={"Origin": origin}).status_code == 403
    own = {"Origin": "http://localhost:3000"}
    assert api.client.get("/v1/snapshots", headers=own).status_code == 200


def test_no_page_of_others_may_read_an_answer(api: HttpApp, locked: Locked) -> None:
    for client in (api.client, locked.api.client):
        answer = client.options("/v1/search", headers={"Origin": "http://localhost:3000"})
        found = client.get("/healthz", headers={"Origin": "http://localhost:3000"})
        for one in (answer, found):
            assert not [name for name in one.headers if name.startswith("access-control")]


def test_every_answer_has_safe_headers(api: HttpApp) -> None:
    for path in ("/healthz", "/nowhere", "/v1/snapshots", "/metrics"):
        headers = api.client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["x-request-id"]
        assert "server" not in headers
