"""`docgraph watch` in a real git work tree: each branch has snapshots of its own files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.git_repository import GitRepository
from tests.support.http_server import embeddings, run_in, settings_file
from tests.support.scripted_server import serve_script
from tests.support.watching import Event, watching


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    with serve_script(embeddings) as server:
        settings_file(tmp_path, server.base)
        yield tmp_path


@pytest.fixture
def repository(place: Path) -> GitRepository:
    """`main` has a.md; `feature` has b.md instead; `same` has what `main` has."""
    found = GitRepository(place / "work")
    found.commit({"a.md": "# Apples\n", ".gitignore": "out/\n"})
    found.git("branch", "same")
    found.git("checkout", "--quiet", "-b", "feature")
    (found.folder / "a.md").unlink()
    found.commit({"b.md": "# Bananas\n"})
    found.git("checkout", "--quiet", "main")
    return found


def titles(place: Path, branch: str) -> str:
    return run_in(place, "search", "fruit", "--repository", "work", "--branch", branch)


@pytest.mark.requirement(56)
def test_a_switch_of_branches_is_followed_and_nothing_is_mixed(
    place: Path, repository: GitRepository
) -> None:
    def is_on(branch: str, event: Event) -> bool:
        return bool(event["branch"] == branch)

    with watching(place, "work") as watch:
        assert watch.until("published")["branch"] == "main"
        repository.git("checkout", "--quiet", "feature")
        watch.until("published", where=lambda event: is_on("feature", event))
        repository.git("checkout", "--quiet", "same")  # the files of main, and another HEAD
        watch.until("published", where=lambda event: is_on("same", event))
        repository.git("checkout", "--quiet", "main")
        watch.until("unchanged", where=lambda event: is_on("main", event))
        repository.write({"c.md": "# Cherries\n"})
        added = watch.until("published", where=lambda event: is_on("main", event))
        assert added["result"]["unchanged"] == 1
        assert watch.end() == 0
    found = {branch: titles(place, branch) for branch in ("main", "feature", "same")}
    for branch, names in (("main", "ac"), ("feature", "b"), ("same", "a")):
        assert [name for name in "abc" if f"work:{name}.md" in found[branch]] == list(names)


def test_a_head_on_no_branch_fills_the_branch_head(place: Path, repository: GitRepository) -> None:
    repository.git("checkout", "--quiet", "--detach", "feature")
    with watching(place, "work") as watch:
        assert watch.until("published")["branch"] == "HEAD"
        assert watch.end() == 0


def test_a_branch_that_is_named_gets_whatever_lies_there(
    place: Path, repository: GitRepository
) -> None:
    with watching(place, "work", "--branch", "now") as watch:
        assert watch.until("published")["branch"] == "now"
        repository.git("checkout", "--quiet", "feature")
        second = watch.until("published")
        assert (second["branch"], second["result"]["snapshot"]["snapshot"]) == ("now", 2)
        assert watch.end() == 0


def test_a_part_of_a_work_tree_follows_its_branch(place: Path, repository: GitRepository) -> None:
    repository.commit({"docs/d.md": "# Dates\n"})
    repository.git("branch", "later")
    with watching(place, "work/docs") as watch:
        assert watch.until("published")["branch"] == "main"
        repository.git("checkout", "--quiet", "later")
        watch.until("published", where=lambda event: bool(event["branch"] == "later"))
        assert watch.end() == 0


def test_ignored_files_are_no_reason_to_ingest(place: Path, repository: GitRepository) -> None:
    with watching(place, "work") as watch:
        watch.until("published")
        repository.write({"out/x.txt": "built"})
        repository.write({"out/y.txt": "built"})
        repository.write({".cache/z.md": "# Hidden\n"})
        run_in(place, "status")  # so that the next change is of another batch
        repository.write({"d.md": "# Dates\n"})
        watch.until("published", where=lambda event: event["result"]["added"] > 0)
        assert watch.end() == 0
        watch.until("stopped")
    kinds = [event["event"] for event in watch.seen]
    assert kinds == ["watching", "published", "published", "stopped"]
