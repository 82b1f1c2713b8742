"""Snapshots on the command line: commits, renames, deletions and pruning."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput, NotVisible
from tests.acceptance.conftest import Run, data
from tests.support.git_repository import GitRepository

STORE = ("--store", "s.db")
SECRET = "The launch code is heliotrope."


@pytest.fixture
def repository(elsewhere: Path) -> GitRepository:
    repository = GitRepository(elsewhere / "rocket")
    repository.commit({"engine.md": "# Engine\n\nIt burns kerosene.\n", "code.md": SECRET})
    return repository


def list_snapshots(docgraph: Run) -> list[tuple[str, int, str, int]]:
    found = data(docgraph("snapshots", *STORE, "--json"))["snapshots"]
    return [(*_name(info["name"]), info["revision"], info["documents"]) for info in found]


def _name(name: dict[str, str | int]) -> tuple[str, int]:
    return str(name["branch"]), int(name["snapshot"])


@pytest.mark.requirement(8)
@pytest.mark.requirement(10)
def test_a_commit_is_a_snapshot_of_its_branch_and_of_its_repository(
    docgraph: Run, repository: GitRepository
) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.write({"untracked.md": "not in any commit"})
    result = data(docgraph("ingest", "rocket", "--ref", "main", *STORE, "--json"))
    assert result["snapshot"] == {"repository": "rocket", "branch": "main", "snapshot": 1}
    second = repository.commit()
    docgraph("ingest", "rocket", "--ref", "main", *STORE)
    docgraph("ingest", "rocket", "--ref", first, *STORE)
    assert list_snapshots(docgraph) == [
        (first, 1, first, 2),
        ("main", 1, first, 2),
        ("main", 2, second, 3),
    ]


def test_a_bare_repository_is_read_at_its_head(docgraph: Run, repository: GitRepository) -> None:
    repository.git("clone", "--quiet", "--bare", ".", "../rocket.git")
    result = data(docgraph("ingest", "rocket.git", *STORE, "--json"))
    assert result["snapshot"] == {"repository": "rocket", "branch": "main", "snapshot": 1}


@pytest.mark.requirement(8)
def test_renames_are_reported_and_deleted_documents_are_not_found(
    docgraph: Run, repository: GitRepository
) -> None:
    docgraph("ingest", "rocket", *STORE)
    (repository.folder / "engine.md").rename(repository.folder / "motor.md")
    (repository.folder / "code.md").unlink()
    again = data(docgraph("ingest", "rocket", *STORE, "--json"))
    assert again["renamed"] == [{"old": "engine.md", "new": "motor.md"}]
    # Its chunks have vectors already; that of its summary belongs to the version.
    assert (again["added"], again["removed"], again["vectors"]) == (1, 2, 1)
    assert "heliotrope" not in docgraph("context", "What is the launch code?", *STORE).output
    verified = data(docgraph("verify", *STORE, "--json"))
    assert verified["sound"]
    compared = data(docgraph("diff-snapshots", "1", "2", *STORE, "--json"))["diff"]
    assert compared["added"] == ["rocket:motor.md"]
    assert compared["removed"] == ["rocket:code.md", "rocket:engine.md"]


@pytest.mark.requirement(10)
def test_pruned_text_is_not_in_the_file(
    docgraph: Run, repository: GitRepository, elsewhere: Path
) -> None:
    docgraph("ingest", "rocket", *STORE)
    (repository.folder / "code.md").unlink()
    docgraph("ingest", "rocket", *STORE)
    assert b"heliotrope" in (elsewhere / "s.db").read_bytes()
    before = data(docgraph("verify", *STORE, "--json"))["digest"]
    pruned = data(docgraph("prune", "--repository", "rocket", *STORE, "--json"))
    assert (pruned["snapshots"], pruned["documents"], pruned["texts"]) == (1, 1, 1)
    assert b"heliotrope" not in (elsewhere / "s.db").read_bytes()
    assert list_snapshots(docgraph) == [("main", 2, "", 1)]
    assert data(docgraph("verify", *STORE, "--json"))["digest"] == before
    old = ("--repository", "rocket", "--branch", "main", "--snapshot", "1")
    assert isinstance(docgraph("search", "kerosene", *old, *STORE).exception, NotVisible)


def test_the_error_for_a_missing_snapshot_lists_the_existing_ones(
    docgraph: Run, repository: GitRepository
) -> None:
    docgraph("ingest", "rocket", *STORE)
    assert str(docgraph("diff-snapshots", "1", "7", *STORE).exception) == (
        "no snapshot is called '7'; there are main@1"
    )
    docgraph("ingest", "rocket", "--repository", "other", *STORE)
    unclear = docgraph("diff-snapshots", "1", "1", *STORE).exception
    assert isinstance(unclear, BadInput)
    assert str(unclear) == "name one repository with --repository: other, rocket"
