"""Which changes of a folder count, and which branch its files belong to."""

from pathlib import Path

import pytest

from docgraph.adapters.sources.checkout import Checkout
from docgraph.adapters.sources.watched_folder import WatchedFolder
from docgraph.model.errors import BadInput
from docgraph.ports.watching import CheckoutState, WatchOptions
from tests.support.git_repository import GitRepository


def concerns(folder: Path, *paths: str, options: WatchOptions | None = None) -> bool:
    watched = WatchedFolder(folder, options or WatchOptions())
    return watched.concerns({str(folder / path) for path in paths})


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()


@pytest.mark.parametrize("path", [".", "a.md", "deep/b.md", "access.yaml", ".gitignore", "build/a"])
def test_files_that_an_ingest_reads_count(tmp_path: Path, path: str) -> None:
    assert concerns(tmp_path, path)


@pytest.mark.parametrize(
    "path",
    [".git/index", ".docgraph/docgraph.db", ".hidden.md", "a/node_modules/x.js", "a/.venv/b.py"],
)
def test_what_every_ingest_skips_does_not_count(tmp_path: Path, path: str) -> None:
    assert not concerns(tmp_path, path)


def test_output_and_environments_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, "app/package.json", "env/pyvenv.cfg")
    assert not concerns(tmp_path, "app/dist/x.js", "env/lib/x.py")
    assert concerns(tmp_path, "dist/x.js")


def test_the_store_does_not_count_wherever_it_lies(tmp_path: Path) -> None:
    options = WatchOptions(store=tmp_path / "own.db")
    files = ("own.db", "own.db-wal", "own.db.audit", "own.db.ingest.lock")
    assert not concerns(tmp_path, *files, options=options)
    assert concerns(tmp_path, "my-own.db", options=options)


def test_of_a_single_file_its_neighbours_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    watched = WatchedFolder(tmp_path / "a.md", WatchOptions())
    assert watched.concerns({str(tmp_path / "a.md")})
    assert watched.concerns({str(tmp_path / "access.yaml")})
    assert not watched.concerns({str(tmp_path / "b.md"), str(tmp_path / "deep" / "c.md")})


def test_what_git_ignores_does_not_count_and_what_it_tracks_does(tmp_path: Path) -> None:
    git = GitRepository(tmp_path)
    git.commit({"tracked.log": "", "deep/.gitignore": "x*\n!xy.md\n"})
    git.commit({".gitignore": "*.log\n:(glob)odd.md\n"})
    assert not concerns(tmp_path, "new.log", "deep/x.md")
    assert concerns(tmp_path, "tracked.log")
    assert concerns(tmp_path, "deep/xy.md")
    assert not concerns(tmp_path, ":(glob)odd.md")
    assert not concerns(tmp_path, "a\nb.log")


def test_a_change_of_branches_counts_and_other_work_of_git_does_not(tmp_path: Path) -> None:
    git = GitRepository(tmp_path / "work")
    git.commit({"docs/a.md": "# A\n"})
    for folder in (git.folder, git.folder / "docs"):
        watched = WatchedFolder(folder, WatchOptions())
        assert watched.concerns({str(git.folder / ".git" / "HEAD")})
        assert not watched.concerns({str(git.folder / ".git" / name) for name in ("index", "logs")})


def test_a_folder_that_git_ignores_belongs_to_no_branch(tmp_path: Path) -> None:
    git = GitRepository(tmp_path)
    git.commit({".gitignore": "out/\n"})
    git.git("checkout", "--quiet", "-b", "feature")
    write(tmp_path, "out/a.md")
    watched = WatchedFolder(tmp_path / "out", WatchOptions())
    assert watched.state() == CheckoutState("main")
    assert watched.concerns({str(tmp_path / "out" / "a.md")})


def test_the_branch_is_that_of_head_also_in_a_linked_work_tree(tmp_path: Path) -> None:
    git = GitRepository(tmp_path / "work")
    assert Checkout(git.folder).state().branch == "main"  # before the first commit
    git.commit({"a.md": "# A\n"})
    git.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "topic/one")
    git.git("checkout", "--quiet", "--detach")
    assert Checkout(git.folder).state().branch == "HEAD"
    assert Checkout(tmp_path / "linked").state().branch == "topic/one"
    assert WatchedFolder(git.folder, WatchOptions(branch="mine")).state().branch == "mine"


def test_the_mark_changes_with_every_switch_and_a_lock_of_git_is_seen(tmp_path: Path) -> None:
    git = GitRepository(tmp_path)
    git.commit({"a.md": "# A\n"})
    watched = WatchedFolder(tmp_path, WatchOptions())
    before = watched.state()
    assert watched.has_mark(before)
    assert not before.busy
    git.git("checkout", "--quiet", "-b", "same")
    assert not watched.has_mark(before)
    (tmp_path / ".git" / "index.lock").touch()
    assert watched.state().busy


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file or folder"):
        WatchedFolder(tmp_path / "absent", WatchOptions())
