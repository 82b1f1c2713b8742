"""Answers and status say whether the source has moved on, to those who may ingest alone."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Run, data
from tests.support.git_repository import GitRepository

STORE = ("--store", "s.db")
QUESTION = "What does the engine burn?"


@pytest.fixture
def notes(elsewhere: Path, docgraph: Run) -> Path:
    folder = elsewhere / "notes"
    folder.mkdir()
    for name in ("engine", "tank", "pump"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe {name} burns kerosene.\n", "utf-8")
    data(docgraph("ingest", "notes", *STORE, "--json", "--reader", "everyone"))
    return folder


def states(docgraph: Run, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = data(docgraph(*words, *STORE, "--json"))["source_states"]
    return found


def state(docgraph: Run, *words: str) -> tuple[str, int]:
    (only,) = states(docgraph, *(words or ("status",)))
    return only["state"], only["files"]


def change(notes: Path) -> None:
    """Three files that count, and two that no ingest reads."""
    (notes / "engine.md").write_text("# engine\n\nIt burns hydrogen.\n", "utf-8")
    (notes / "new.md").write_text("# new\n", "utf-8")
    (notes / "tank.md").unlink()
    (notes / "picture.png").write_bytes(b"png")
    (notes / ".hidden.md").write_text("# hidden\n", "utf-8")


@pytest.mark.requirement(56)
@pytest.mark.parametrize(
    "words",
    [("status",), ("search", QUESTION), ("context", QUESTION), ("ask", QUESTION)],
    ids=lambda words: words[0],
)
def test_new_changed_and_removed_files_are_counted(
    docgraph: Run, notes: Path, words: tuple[str, ...]
) -> None:
    assert state(docgraph, *words) == ("current", 0)
    change(notes)
    assert state(docgraph, *words) == ("moved", 3)
    data(docgraph("ingest", "notes", *STORE, "--json"))
    assert state(docgraph, *words) == ("current", 0)


def test_a_person_reads_it_on_standard_error_and_in_the_status(docgraph: Run, notes: Path) -> None:
    plan = docgraph("plan", QUESTION, *STORE, "--json")
    assert plan.stderr == ""
    change(notes)
    moved = docgraph("plan", QUESTION, *STORE, "--json")
    assert moved.stdout == plan.stdout  # a plan is a file, with nothing of the day in it
    assert moved.stderr == "note: notes main: its source has changed since: 3 files\n"
    assert "notes main snapshot 1; its source has changed since: 3 files" in docgraph(
        "status", *STORE
    ).stdout.replace("\n", " ")


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    "words",
    [("status",), ("search", QUESTION), ("context", QUESTION), ("plan", QUESTION)],
    ids=lambda words: words[0],
)
def test_who_may_not_ingest_gets_the_same_bytes_whatever_the_source_does(
    docgraph: Run, notes: Path, words: tuple[str, ...]
) -> None:
    docgraph("principals", "add", "ann", "--group", "staff", *STORE)
    asked = (*words, "--as", "ann", *STORE, "--json")
    before = docgraph(*asked)
    assert before.exit_code == 0
    change(notes)
    after = docgraph(*asked)
    assert (after.stdout, after.stderr) == (before.stdout, before.stderr)
    assert "moved" not in after.stdout


def test_digests_do_not_depend_on_it(docgraph: Run, notes: Path) -> None:
    before = data(docgraph("context", QUESTION, *STORE, "--json"))
    change(notes)
    after = data(docgraph("context", QUESTION, *STORE, "--json"))
    assert after.pop("source_states") != before.pop("source_states")
    assert after == before


def test_a_source_that_is_gone_or_was_never_recorded_is_unknown(
    docgraph: Run, elsewhere: Path, notes: Path
) -> None:
    shutil.move(notes, elsewhere / "elsewhere")
    assert state(docgraph) == ("unknown", 0)
    shutil.move(elsewhere / "elsewhere", notes)
    shutil.rmtree(elsewhere / "s.db.sources")
    assert state(docgraph) == ("unknown", 0)


@pytest.mark.parametrize("damage", [b"", b"[]", b"{", b'{"format": "docgraph.source-state/0"}'])
def test_a_damaged_record_is_unknown_and_ends_nothing(
    docgraph: Run, elsewhere: Path, notes: Path, damage: bytes
) -> None:
    (record,) = (elsewhere / "s.db.sources").iterdir()
    record.write_bytes(damage)
    assert state(docgraph) == ("unknown", 0)


def test_of_a_git_ref_the_files_between_both_commits_are_counted(
    docgraph: Run, elsewhere: Path
) -> None:
    git = GitRepository(elsewhere / "work")
    git.commit({"a.md": "# A\n", "b.md": "# B\n", "docs/c.md": "# C\n"})
    for path, name in (("work", "all"), ("work/docs", "part")):
        data(docgraph("ingest", path, "--ref", "main", "-r", name, *STORE, "--json"))
    git.write({"a.md": "# not committed\n"})
    assert [one["state"] for one in states(docgraph, "status")] == ["current", "current"]
    git.commit({"b.md": "# Other\n", "new.md": "# New\n", "x.png": b"png", ".x/y.md": "# Y\n"})
    found = {one["repository"]: (one["state"], one["files"]) for one in states(docgraph, "status")}
    assert found == {"all": ("moved", 3), "part": ("current", 0)}


def test_while_another_branch_is_checked_out_the_state_of_a_branch_is_unknown(
    docgraph: Run, elsewhere: Path
) -> None:
    git = GitRepository(elsewhere / "work")
    git.commit({"a.md": "# A\n"})
    data(docgraph("ingest", "work", *STORE, "--json"))
    git.git("checkout", "--quiet", "-b", "feature")
    assert state(docgraph) == ("unknown", 0)
    git.git("checkout", "--quiet", "main")
    assert state(docgraph)[0] == "current"


def test_what_lies_beside_the_store_is_for_its_owner_alone(elsewhere: Path, notes: Path) -> None:
    folder = elsewhere / "s.db.sources"
    (record,) = folder.iterdir()
    assert (folder.stat().st_mode & 0o777, record.stat().st_mode & 0o777) == (0o700, 0o600)
