"""An access.yaml speaks for all below it: nobody reads past it by asking for a part."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from docgraph.interfaces.http.jobs.job_handler import (
    HAS_PARENT_RULES,
    IngestRoots,
    check_parent_access_rules,
)
from docgraph.model.errors import BadInput
from tests.integration.http.test_ingest_jobs import asked
from tests.support.git_repository import GitRepository
from tests.support.http_app import HttpApp, open_app, settings_of

RULES = '- path: "**"\n  readers: [board]\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """`handbook` has rules, `notes` has none; links lead from one to the other."""
    place = tmp_path / "root"
    for name in ("handbook/finance/old/budget.md", "handbook/travel.md", "notes/inner/a.md"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("# A\n\nWords.\n", encoding="utf-8")
    (place / "handbook" / "access.yaml").write_text(RULES, encoding="utf-8")
    (place / "near").symlink_to(place / "handbook")
    (place / "deep").symlink_to(place / "handbook" / "finance" / "old")
    (place / "handbook" / "lent").symlink_to(place / "notes" / "inner")
    return place


@pytest.fixture
def taking(root: Path, tmp_path: Path) -> Iterator[HttpApp]:
    with open_app(settings_of(tmp_path, roots=(str(root),))) as api:
        yield api


def is_covered(root: Path, path: str, *more: Path) -> bool:
    roots = IngestRoots([str(root), *map(str, more)], only_tenant="local")
    place = roots.find(path, "local")
    assert place is not None
    with suppress(BadInput):
        check_parent_access_rules(place)
        return False
    return True


@pytest.mark.requirement(38)
@pytest.mark.parametrize(
    "path",
    [
        "handbook/finance",
        "handbook/finance/old",
        "handbook/finance/old/budget.md",
        "handbook/travel.md",
        "near/finance",
        "near/travel.md",
        "deep",
        "deep/budget.md",
        "handbook/lent",
    ],
)
def test_a_part_of_what_rules_speak_for_is_refused(taking: HttpApp, path: str) -> None:
    body = {"path": path, "repository": "x", "readers": ["everyone"]}
    answer = taking.post("/v1/ingestions", body)
    assert (answer.status_code, answer.json()["detail"]) == (422, HAS_PARENT_RULES)
    assert taking.client.get("/v1/ingestions").json() == {"ingestions": []}


def test_the_folder_that_holds_the_rules_is_ingested_under_them(taking: HttpApp) -> None:
    found = asked(taking, {"path": "handbook", "readers": ["everyone"]})
    assert found["state"] == "succeeded", found["error"]
    assert found["result"]["readable"]["closed_to_requester"] == 2
    assert asked(taking, {"path": "notes/inner"})["state"] == "succeeded"


def test_rules_that_came_meanwhile_are_seen_when_it_is_begun(
    taking: HttpApp, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requested while nothing spoke for it."""
    monkeypatch.setattr(
        "docgraph.interfaces.http.routes.ingestions.check_parent_access_rules", lambda _: None
    )
    found = asked(taking, {"path": "handbook/finance", "readers": ["everyone"]})
    assert (found["state"], found["error"]) == ("failed", HAS_PARENT_RULES)


@pytest.mark.parametrize("name", ["access.yaml", "access.yml", "Access.yaml"])
def test_rules_that_are_misspelt_or_lead_nowhere_are_rules(root: Path, name: str) -> None:
    assert not is_covered(root, "notes/inner")
    (root / "notes" / name).symlink_to("nowhere")
    assert is_covered(root, "notes/inner")
    assert is_covered(root, "notes/inner/a.md")
    assert not is_covered(root, "notes")


def test_rules_at_the_root_speak_for_all_but_the_root_itself(root: Path) -> None:
    (root / "access.yaml").write_text(RULES, encoding="utf-8")
    assert is_covered(root, "handbook")
    assert is_covered(root, "notes")
    assert not is_covered(root, ".")


def test_a_root_inside_another_is_no_way_past_the_outer_ones_rules(root: Path) -> None:
    assert is_covered(root, "old", root / "handbook" / "finance")


def test_rules_of_a_work_tree_around_the_root_speak_too(tmp_path: Path) -> None:
    made = GitRepository(tmp_path / "repo")
    made.write({"docs/a/b.md": "b", "other.md": "c"})
    assert not is_covered(made.folder / "docs", "a")
    made.write({"access.yaml": RULES})
    assert is_covered(made.folder / "docs", "a")
    assert is_covered(made.folder / "docs", ".")
    (tmp_path / "access.yaml").write_text(RULES, encoding="utf-8")
    assert not is_covered(made.folder, ".")


def test_what_cannot_be_looked_at_is_not_taken_for_absent(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_: Path) -> Iterator[Path]:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", closed)
    assert is_covered(root, "notes/inner")


def test_rules_of_a_commit_speak_whatever_the_work_tree_holds(taking: HttpApp, root: Path) -> None:
    made = GitRepository(root / "repo")
    made.commit({"docs/deep/a.md": "# A\n", "docs/access.yaml": RULES})
    (made.folder / "docs" / "access.yaml").unlink()
    body = {"path": "repo/docs/deep", "ref": "main", "readers": ["everyone"]}
    found = asked(taking, body)
    assert (found["state"], found["error"]) == ("failed", HAS_PARENT_RULES)
    made.commit()
    assert asked(taking, body)["state"] == "succeeded"
    assert asked(taking, {**body, "path": "repo"})["state"] == "succeeded"
