"""The right to ingest is not a right to read: a real server, two people, one of whom may only
ingest, on both stores."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from docgraph.wiring.settings import Settings
from tests.support.git_repository import GitRepository
from tests.support.http_app import key_for
from tests.support.http_server import ServerProcess, embeddings, serve_in, settings_file
from tests.support.postgres_server import PostgresServer
from tests.support.scripted_server import serve_script

pytestmark = pytest.mark.requirement(73)
SECRET = "# Plan\n\nThe merger is on Monday.\n"
HARMLESS = "# Plan\n\nNothing is planned.\n"
OTHER = "# Notes\n\nSomething else.\n"


@dataclass(frozen=True, slots=True)
class World:
    """`keeper` has the rights `ingest` and `access` and is in `finance`; `mallory` may ingest."""

    roots: Path
    server: ServerProcess
    keys: dict[str, str]

    def put(self, folder: str, **texts: str) -> Path:
        place = self.roots / folder
        place.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (place / f"{name}.md").write_text(text, encoding="utf-8")
        return place

    def ingest(self, who: str, path: str, **body: Any) -> dict[str, Any]:
        """Requested, and polled until it has ended."""
        headers = self.headers(who)
        reply = self.server.client.post(
            "/v1/ingestions", json={"path": path, **body}, headers=headers
        )
        assert reply.status_code == 202, reply.text
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found: dict[str, Any] = self.server.client.get(
                reply.headers["location"], headers=headers
            ).json()
            if found["state"] in {"succeeded", "failed"}:
                return found
            time.sleep(0.02)
        raise AssertionError(path)

    def done(self, who: str, path: str, **body: Any) -> dict[str, Any]:
        found = self.ingest(who, path, **body)
        assert found["state"] == "succeeded", found["error"]
        result: dict[str, Any] = found["result"]["ingest"]
        return result

    def refused(self, who: str, path: str, **body: Any) -> str:
        found = self.ingest(who, path, **body)
        assert found["state"] == "failed", found["result"]
        error: str = found["error"]
        return error

    def headers(self, who: str) -> dict[str, str]:
        return {"Authorization": self.keys[who]}

    def get(self, who: str, node: str, snapshot: int, branch: str = "main") -> httpx.Response:
        place = {"repository": node.partition(":")[0], "branch": branch, "snapshot": str(snapshot)}
        return self.server.client.get(f"/v1/nodes/{node}", params=place, headers=self.headers(who))

    def reads(self, who: str, node: str, snapshot: int, branch: str = "main") -> bool:
        status = self.get(who, node, snapshot, branch).status_code
        assert status in {200, 404}
        return status == 200


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    folder = tmp_path_factory.mktemp(f"world-{request.param}")
    (folder / "roots").mkdir()
    store = str(folder / "store.db")
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        store = server.fresh_database()
    settings = Settings(store=store)
    keys = {
        "keeper": key_for(settings, "keeper", "finance", rights=("ingest", "access")),
        "fin": key_for(settings, "fin", "finance"),
        "mallory": key_for(settings, "mallory", rights=("ingest",)),
    }
    more = "login: {keys: true}\nserve: {roots: [roots]}\n"
    with serve_script(embeddings) as models:
        settings_file(folder, models.base, more, store=store)
        with serve_in(folder) as process:
            yield World(folder / "roots", process.ready(), keys)


def test_another_folder_does_not_open_old_snapshots(world: World) -> None:
    world.put("merger", plan=SECRET, other=OTHER)
    world.put("open", plan=HARMLESS)
    world.done("keeper", "merger", readers=["finance"])
    error = world.refused("mallory", "open", repository="merger", readers=["everyone"])
    assert all(part in error for part in ("merger", "open", "docgraph access set-source"))
    assert str(world.roots) not in error
    assert not world.reads("mallory", "merger:plan.md", 1)
    assert world.reads("fin", "merger:plan.md", 1)
    assert not world.reads("fin", "merger:plan.md", 2)


def test_a_folder_with_the_same_paths_and_front_matter_is_another_source(world: World) -> None:
    world.put("board", plan=SECRET)
    world.put("forged", plan=f"---\naccess: everyone\n---\n{SECRET}")
    world.done("keeper", "board", readers=["finance"])
    for readers in ({}, {"readers": ["everyone"]}):
        assert "forged" in world.refused("mallory", "forged", repository="board", **readers)
    assert not world.reads("mallory", "board:plan.md", 1)


def test_readers_that_an_ingest_names_are_not_added_without_the_right_access(
    world: World,
) -> None:
    world.put("options", plan=SECRET)
    world.done("keeper", "options", readers=["finance"])
    assert "'access'" in world.refused("mallory", "options", readers=["everyone"])
    world.put("options", new=OTHER)
    assert "'access'" in world.refused("mallory", "options", readers=["everyone"])
    assert not world.reads("mallory", "options:plan.md", 1)
    world.done("mallory", "options")
    assert not world.reads("mallory", "options:new.md", 2)
    assert world.reads("fin", "options:new.md", 2)


def test_options_do_not_open_new_paths_where_files_state_all_others(world: World) -> None:
    world.put("stated", plan=f"---\naccess: finance\n---\n{SECRET}")
    world.done("keeper", "stated")
    world.done("mallory", "stated", readers=["everyone"])
    world.put("stated", new=SECRET)
    found = world.done("keeper", "stated")
    assert "nobody may read it" in found["problems"][0]["reason"]
    newest = int(found["snapshot"]["snapshot"])
    assert not world.reads("mallory", "stated:new.md", newest)
    world.done("keeper", "stated", readers=["everyone"])
    assert world.reads("mallory", "stated:new.md", newest + 1)


def test_a_folder_that_fills_a_repository_is_not_opened_under_another_name(world: World) -> None:
    world.put("budget/year", plan=SECRET)
    world.done("keeper", "budget", readers=["finance"])
    for path in ("budget", "budget/year", "budget/year/plan.md"):
        body = {"repository": "mine", "readers": ["everyone"]}
        assert "'access'" in world.refused("mallory", path, **body)
    listed = world.server.client.get(
        "/v1/snapshots", params={"repository": "mine"}, headers=world.headers("mallory")
    )
    assert listed.status_code == 404


def test_commits_are_not_opened_through_a_linked_work_tree(world: World) -> None:
    git = GitRepository(world.put("trunk"))
    first = git.commit({"year/plan.md": SECRET})
    world.done("keeper", "trunk", ref="HEAD", readers=["finance"])
    git.git("worktree", "add", "--quiet", "../linked", first)
    for path in ("linked", "linked/year"):
        body = {"ref": "HEAD", "repository": "mine", "readers": ["everyone"]}
        assert "'access'" in world.refused("mallory", path, **body)
    # It is the same source.
    world.done("keeper", "linked", ref=first, repository="trunk", branch="first")


def test_a_new_branch_has_the_source_of_its_repository(world: World) -> None:
    """A part of the source has other paths, on which no rule is stated yet."""
    world.put("branched/year", plan=SECRET)
    world.put("elsewhere", plan=HARMLESS)
    world.done("keeper", "branched", readers=["finance"])
    for path in ("branched/year", "branched/year/plan.md", "elsewhere"):
        body = {"repository": "branched", "branch": "mine", "readers": ["everyone"]}
        error = world.refused("mallory", path, **body)
        assert all(part in error for part in ("branched", path, "'access'"))
        assert str(world.roots) not in error
    assert not world.reads("mallory", "branched:plan.md", 1, branch="mine")
    world.done("keeper", "elsewhere", repository="branched", branch="mine", readers=["everyone"])
    assert world.reads("mallory", "branched:plan.md", 1, branch="mine")


def test_a_new_branch_has_the_default_rule_of_its_repository(world: World) -> None:
    git = GitRepository(world.put("moved"))
    git.commit({"plan.md": SECRET})
    world.done("keeper", "moved", readers=["finance"])
    git.commit({"drafts/plan.md": SECRET})
    body = {"ref": "HEAD", "branch": "drafts"}
    assert "'access'" in world.refused("mallory", "moved", **body, readers=["everyone"])
    world.done("mallory", "moved", **body)
    for node in ("moved:plan.md", "moved:drafts/plan.md"):
        assert world.reads("fin", node, 1, branch="drafts")
        assert not world.reads("mallory", node, 1, branch="drafts")


def test_an_older_commit_opens_no_closed_text(world: World) -> None:
    git = GitRepository(world.put("code"))
    old = git.commit({"plan.md": SECRET})
    world.done("keeper", "code", readers=["finance"])
    git.commit({"plan.md": HARMLESS})
    world.done("keeper", "code", readers=["everyone"])
    assert world.reads("mallory", "code:plan.md", 2)
    assert not world.reads("mallory", "code:plan.md", 1)
    # Into the same branch, it is another source.
    error = world.refused("mallory", "code", ref=old, branch="main", readers=["everyone"])
    assert old in error
    assert "'access'" in error
    # Into a branch of its own, the text is closed as it was.
    world.done("mallory", "code", ref=old, branch="old", readers=["everyone"])
    assert not world.reads("mallory", "code:plan.md", 1, branch="old")
    assert world.reads("fin", "code:plan.md", 1, branch="old")


def test_opening_a_path_leaves_its_older_versions_closed(world: World) -> None:
    world.put("history", plan=SECRET, gone=SECRET, same=OTHER)
    world.done("keeper", "history", readers=["finance"])
    (world.roots / "history" / "gone.md").unlink()
    world.put("history", plan=f"---\naccess: everyone\n---\n{HARMLESS}")
    found = world.done("keeper", "history", readers=["everyone"])
    assert found["access"] == {"wider": 2, "wider_readers": ["everyone"], "narrower": 0}
    assert world.reads("mallory", "history:plan.md", 2)
    assert world.reads("mallory", "history:same.md", 2)
    # What both snapshots have is the same text; what the first alone has stays closed.
    assert world.reads("mallory", "history:same.md", 1)
    for node in ("history:plan.md", "history:gone.md"):
        assert not world.reads("mallory", node, 1)
        assert world.reads("fin", node, 1)


def test_narrowing_a_path_closes_its_older_versions_at_once_and_for_good(world: World) -> None:
    world.put("closing", plan=SECRET)
    world.done("keeper", "closing", readers=["everyone"])
    world.put("closing", plan=HARMLESS)
    found = world.done("keeper", "closing", readers=["finance"])
    assert found["access"] == {"wider": 0, "wider_readers": [], "narrower": 1}
    assert not world.reads("mallory", "closing:plan.md", 1)
    world.put("closing", plan=OTHER)
    world.done("keeper", "closing", readers=["everyone"])
    assert world.reads("mallory", "closing:plan.md", 3)
    assert not world.reads("mallory", "closing:plan.md", 1)


def test_an_ingest_that_names_no_readers_removes_none_and_adds_none(world: World) -> None:
    world.put("silent", plan=SECRET)
    world.done("keeper", "silent", readers=["finance"])
    world.put("silent", plan=HARMLESS, new=OTHER)
    found = world.done("mallory", "silent")
    assert found["access"] == {"wider": 0, "wider_readers": [], "narrower": 0}
    for node in ("silent:plan.md", "silent:new.md"):
        assert world.reads("fin", node, 2)
        assert not world.reads("mallory", node, 2)


def test_the_rules_of_a_removed_access_file_still_apply(world: World) -> None:
    place = world.put("ruled", plan=SECRET)
    rules = place / "access.yaml"
    rules.write_text('- {path: "**", readers: finance}\n', encoding="utf-8")
    world.done("mallory", "ruled")
    assert world.reads("fin", "ruled:plan.md", 1)
    rules.unlink()
    world.put("ruled", plan=HARMLESS, new=OTHER)
    world.done("mallory", "ruled")
    for node in ("ruled:plan.md", "ruled:new.md"):
        assert world.reads("fin", node, 2)
        assert not world.reads("mallory", node, 2)
    rules.write_text('- {path: "**", readers: everyone}\n', encoding="utf-8")
    world.done("mallory", "ruled")
    assert world.reads("mallory", "ruled:plan.md", 3)
    assert not world.reads("mallory", "ruled:plan.md", 1)
