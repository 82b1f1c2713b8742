"""A branch is filled from one source, and an ingest says whose access changed."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput
from tests.acceptance.conftest import Run, data
from tests.support.git_repository import GitRepository
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.requirement(73)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, elsewhere: Path) -> tuple[str, str]:
    if request.param == "sqlite":
        return "--store", str(elsewhere / "s.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return "--store", server.fresh_database()


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "note.md").write_text(text, encoding="utf-8")
    return folder


def test_a_second_folder_of_the_same_name_is_refused_and_both_are_named(
    docgraph: Run, elsewhere: Path, store: tuple[str, str]
) -> None:
    first = write(elsewhere / "a" / "docs", "# Fuel\n\nIt burns.\n")
    second = write(elsewhere / "b" / "docs", "# Thrust\n\nIt pushes.\n")
    docgraph("ingest", "a/docs", *store)
    refused = docgraph("ingest", "b/docs", *store)
    assert isinstance(refused.exception, BadInput)
    message = str(refused.exception)
    named = (str(first.resolve()), str(second.resolve()), "--repository", "access set-source")
    assert all(part in message for part in named)
    found = data(docgraph("snapshots", *store, "--json"))["snapshots"]
    assert [info["name"]["snapshot"] for info in found] == [1]
    assert docgraph("ingest", "b/docs", "--repository", "more", *store).exit_code == 0
    assert docgraph("ingest", "b/docs", "--branch", "other", *store).exit_code == 0
    assert docgraph("ingest", str(first.resolve()), *store).exit_code == 0


def test_a_source_that_has_moved_is_set_and_that_is_audited(
    docgraph: Run, elsewhere: Path, store: tuple[str, str]
) -> None:
    old = write(elsewhere / "old" / "docs", "# Fuel\n\nIt burns.\n")
    docgraph("ingest", "old/docs", *store)
    new = elsewhere / "docs"
    old.rename(new)
    assert isinstance(docgraph("ingest", "docs", *store).exception, BadInput)
    moved = docgraph("access", "set-source", "docs", "--repository", "docs", *store)
    assert moved.output == f"docs main is filled from {new.resolve()}\n"
    again = data(docgraph("ingest", "docs", *store, "--json"))
    assert (again["unchanged"], again["snapshot"]) == (1, None)
    shown = data(docgraph("access", "sources", *store, "--json"))["sources"]
    assert shown == [
        {
            "repository": "docs",
            "branch": "main",
            "source": {"location": str(new.resolve()), "ref": ""},
        }
    ]
    rows = data(docgraph("audit", "list", *store, "--json"))["entries"]
    outcomes = [
        row["event"]["outcome"] for row in rows if row["event"]["action"] == "access set-source"
    ]
    assert sorted(outcomes) == ["started", "succeeded"]


def test_a_work_tree_and_its_git_folder_are_one_source(
    docgraph: Run, elsewhere: Path, store: tuple[str, str]
) -> None:
    GitRepository(elsewhere / "docs").commit({"note.md": "# Fuel\n\nIt burns.\n"})
    for path in ("docs", "docs/.git", "docs/../docs"):
        result = docgraph("ingest", path, "--repository", "docs", "--branch", "main", *store)
        assert result.exit_code == 0, result.exception


def test_an_ingest_says_in_one_line_whose_access_changed(
    docgraph: Run, elsewhere: Path, store: tuple[str, str]
) -> None:
    write(elsewhere / "docs", "# Fuel\n\nIt burns.\n")
    lines = [
        [
            line
            for line in docgraph("ingest", "docs", *options, "--quiet", *store).output.splitlines()
            if line.startswith("access:")
        ]
        for options in (("--reader", "staff"), (), ("--reader", "everyone"), ("--reader", "board"))
    ]
    assert lines == [
        [],
        [],
        ["access: 1 document wider (everyone)"],
        ["access: 1 document narrower"],
    ]
