"""Ingest jobs over HTTP: requested now, run later, and shown to their owner alone."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.model.access import ACCESS, INGEST
from docgraph.wiring.build import build_administration
from docgraph.wiring.settings import Settings
from tests.support.git_repository import GitRepository
from tests.support.http_app import NOTES, HttpApp, key_for, open_app, settings_of

OUTSIDE = [
    "nowhere",
    "../outside",
    "/etc/passwd",
    "away",
    "notes/../../outside",
    "C:\\Windows",
    "~root",
]


@pytest.fixture
def roots(tmp_path: Path) -> Path:
    return made(tmp_path)


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpApp]:
    """For what is refused at once."""
    place = tmp_path_factory.mktemp("refusing")
    with open_app(settings_of(place, roots=(str(made(place)),))) as api:
        yield api


def made(tmp_path: Path) -> Path:
    folder = tmp_path / "roots" / "notes"
    folder.mkdir(parents=True)
    for path in ("queue.md", "worker.md"):
        (folder / path).write_text(NOTES[path], encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("# Secret\n", encoding="utf-8")
    (tmp_path / "roots" / "away").symlink_to(tmp_path / "outside")
    return tmp_path / "roots"


@pytest.fixture
def taking(roots: Path, tmp_path: Path) -> Iterator[HttpApp]:
    with open_app(settings_of(tmp_path, roots=(str(roots),))) as api:
        yield api


def asked(api: HttpApp, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    """Requested, and polled until it has ended."""
    answer = api.post("/v1/ingestions", body, **headers)
    assert answer.status_code == 202, answer.text
    where = answer.headers["location"]
    assert where == f"/v1/ingestions/{answer.json()['id']}"
    for _ in range(500):
        found = api.client.get(where, headers=headers).json()
        if found["state"] in {"succeeded", "failed"}:
            return dict(found)
        time.sleep(0.02)
    raise AssertionError(where)


def test_a_folder_is_ingested(taking: HttpApp) -> None:
    found = asked(taking, {"path": "notes"})
    assert found["state"] == "succeeded", found["error"]
    assert found["attempts"] == 1
    assert found["result"]["ingest"]["added"] == 2
    assert found["result"]["readable"] == {
        "documents": 2,
        "closed_to_requester": 0,
        "closed_to_all": 0,
    }
    assert taking.client.get("/v1/nodes/notes:queue.md").status_code == 200
    data = taking.client.get("/metrics").text
    assert 'docgraph_ingestions_total{outcome="succeeded"} 1.0' in data


def test_a_single_file_and_other_names(taking: HttpApp) -> None:
    body = {"path": "notes/queue.md", "repository": "mine", "branch": "dev"}
    found = asked(taking, body)
    assert found["result"]["ingest"]["snapshot"] == {
        "repository": "mine",
        "branch": "dev",
        "snapshot": 1,
    }


def test_a_commit_is_ingested(taking: HttpApp, roots: Path) -> None:
    GitRepository(roots / "repo").commit({"a.md": "# A\n"})
    found = asked(taking, {"path": "repo", "ref": "main"})
    assert found["state"] == "succeeded", found["error"]
    (info,) = taking.client.get("/v1/snapshots").json()["snapshots"]
    assert (info["ref"], len(info["revision"])) == ("main", 40)


def test_a_repository_that_reads_elsewhere_is_refused(
    taking: HttpApp, roots: Path, tmp_path: Path
) -> None:
    made = GitRepository(tmp_path / "outside" / "repo")
    made.commit({"a.md": "# A\n"})
    (roots / "repo").mkdir()
    (roots / "repo" / ".git").write_text(f"gitdir: {made.folder / '.git'}\n", encoding="utf-8")
    found = asked(taking, {"path": "repo", "ref": "main"})
    assert found["state"] == "failed"
    assert "outside of what may be read here" in found["error"]
    assert str(tmp_path) not in found["error"]


def test_a_link_that_leads_out_is_a_problem_of_its_own(taking: HttpApp, roots: Path) -> None:
    (roots / "notes" / "out.md").symlink_to(roots.parent / "outside" / "secret.md")
    found = asked(taking, {"path": "notes"})
    (problem,) = found["result"]["ingest"]["problems"]
    assert (problem["path"], "leads out" in problem["reason"]) == ("out.md", True)
    assert taking.client.get("/v1/nodes/notes:out.md").status_code == 404


@pytest.mark.parametrize("path", OUTSIDE)
def test_what_is_outside_and_what_is_nowhere_read_alike(refusing: HttpApp, path: str) -> None:
    data = {"repository": "x"}
    answer = refusing.post("/v1/ingestions", {"path": path, **data})
    nowhere = refusing.post("/v1/ingestions", {"path": "not-there", **data})
    assert answer.status_code == nowhere.status_code == 404
    assert answer.content == nowhere.content
    assert refusing.client.get("/v1/ingestions").json() == {"ingestions": []}


@pytest.mark.parametrize(
    "wrong",
    [
        {"path": "notes\x00"},
        {"path": ""},
        {"path": "notes", "readers": []},
        {"path": "notes", "readers": ["two  blanks"]},
        {"path": "notes", "readers": ["Everyone"]},
        {"path": "notes", "labels": [""]},
        {"path": "notes", "level": -1},
        {"path": "notes", "level": 2**40},
        {"path": "notes", "without": ["nobody"]},
        {"path": "notes", "repository": " "},
        {"path": "notes", "max_bytes": 10},
        {"path": "notes", "tenant": "other"},
        {"path": "notes", "asked_by": "root"},
    ],
)
def test_what_cannot_be_used_is_refused_at_once(refusing: HttpApp, wrong: dict[str, Any]) -> None:
    answer = refusing.post("/v1/ingestions", wrong)
    assert answer.status_code == 422, answer.text


def test_a_path_that_goes_away_meanwhile_fails_with_a_message(taking: HttpApp, roots: Path) -> None:
    """The words tell no place of the server's."""
    found = asked(taking, {"path": "notes", "ref": "main"})
    assert found["state"] == "failed"
    assert found["error"].startswith("notes: not a git repository")
    assert str(roots) not in found["error"]
    data = taking.client.get("/metrics").text
    assert 'docgraph_ingestions_total{outcome="failed"} 1.0' in data


def test_without_roots_nothing_is_ingested(api: HttpApp) -> None:
    answer = api.post("/v1/ingestions", {"path": "notes"})
    assert answer.status_code == 403
    assert "roots" in answer.json()["detail"]
    assert api.client.get("/v1/ingestions").json() == {"ingestions": []}
    assert api.client.get("/v1/ingestions/none").status_code == 404


# With a login


@pytest.fixture
def locked(roots: Path, tmp_path: Path) -> Settings:
    return settings_of(tmp_path, keys=True, roots=(str(roots),))


def test_the_right_is_asked_for_before_anything_is_looked_at(locked: Settings) -> None:
    with open_app(locked) as api:
        eve = key_for(locked, "eve")
        answers = [
            api.post("/v1/ingestions", {"path": path, "repository": "x"}, Authorization=eve)
            for path in ("notes", "nowhere", "../outside")
        ]
        assert {answer.status_code for answer in answers} == {403}
        assert len({answer.content for answer in answers}) == 1
    rows = build_administration(locked).audit_entries(local(), who="eve")
    assert [(row.event.action, row.event.outcome) for row in rows] == [
        ("ingestions add", "denied")
    ] * 3


def test_where_nobody_says_who_may_read_nobody_may(locked: Settings) -> None:
    with open_app(locked) as api:
        ann = key_for(locked, "ann", "board", rights=(INGEST,))
        found = asked(api, {"path": "notes"}, Authorization=ann)
        assert found["result"]["readable"] == {
            "documents": 2,
            "closed_to_requester": 2,
            "closed_to_all": 2,
        }
        refused = asked(api, {"path": "notes", "readers": ["board"]}, Authorization=ann)
        assert (refused["state"], "'access'" in refused["error"]) == ("failed", True)
        bob = key_for(locked, "bob", "board", rights=(INGEST, ACCESS))
        board = asked(api, {"path": "notes", "readers": ["board"]}, Authorization=bob)
        assert board["result"]["readable"]["closed_to_requester"] == 0
        others = asked(api, {"path": "notes", "readers": ["others"]}, Authorization=bob)
        assert others["result"]["readable"] == {
            "documents": 2,
            "closed_to_requester": 2,
            "closed_to_all": 0,
        }


def test_what_becomes_of_an_ingestion_is_reported_to_who_asked_alone(locked: Settings) -> None:
    with open_app(locked) as api:
        ann, bob = (key_for(locked, name, rights=(INGEST,)) for name in ("ann", "bob"))
        found = asked(api, {"path": "notes"}, Authorization=ann)
        where = f"/v1/ingestions/{found['id']}"
        hidden = api.client.get(where, headers={"Authorization": bob})
        absent = api.client.get("/v1/ingestions/none", headers={"Authorization": bob})
        assert hidden.status_code == 404
        assert hidden.content == absent.content
        listed = [
            api.client.get("/v1/ingestions", headers={"Authorization": who}).json()["ingestions"]
            for who in (ann, bob)
        ]
        assert [[one["id"] for one in own] for own in listed] == [[found["id"]], []]


def test_nobody_fills_the_book(refusing: HttpApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docgraph.engine.ingest_jobs.MOST_WAITING", 0)
    answer = refusing.post("/v1/ingestions", {"path": "notes"})
    assert answer.status_code == 422
    assert "wait already" in answer.json()["detail"]
