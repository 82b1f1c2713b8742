"""A git repository is not trusted: what is refused, what it cannot start, what is left behind."""

import gc
import os
import shutil
from pathlib import Path

import pytest

from docgraph.adapters.sources.git import GitSource
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceProblem
from tests.support.git_repository import GitRepository
from tests.support.git_sources import (
    processes,
    read_at,
    read_files,
    refusal_of,
    requires_children_file,
)

# What is refused


def test_an_unknown_name_is_answered_with_a_suggestion(made: GitRepository) -> None:
    made.commit({"a.md": "a"})
    made.git("tag", "v1.0")
    front = f"{made.folder}: no branch, tag or commit is called"
    assert refusal_of(made.folder, "mian") == f"{front} 'mian'; did you mean 'main'?"
    assert refusal_of(made.folder, "zzz") == f"{front} 'zzz'; known: main, v1.0"


@pytest.mark.parametrize(
    "ref", ["-x", "--all", "--help", "--output=x", "", "main:a.md", "main main"]
)
def test_a_name_is_never_taken_for_an_option(made: GitRepository, ref: str) -> None:
    made.commit({"a.md": "a"})
    assert f"is called {ref!r}" in refusal_of(made.folder, ref)
    assert not (made.folder / "x").exists()


@pytest.mark.parametrize("ref", ["a\0b", "a\nb", "\x1b[31m"])
def test_a_name_that_is_no_text_is_refused(made: GitRepository, ref: str) -> None:
    made.commit({"a.md": "a"})
    assert refusal_of(made.folder, ref) == f"{ref!r} cannot name a branch, tag or commit"


def test_a_repository_without_commits_says_so(made: GitRepository) -> None:
    assert "there is no commit in it yet" in refusal_of(made.folder, "HEAD")


def test_what_is_no_repository_is_reported_what_is(tmp_path: Path) -> None:
    assert "REPO.git" in refusal_of(tmp_path)
    assert refusal_of(tmp_path / "none") == f"{tmp_path / 'none'}: there is no such folder"


def test_a_broken_configuration_is_reported_in_git_s_words(made: GitRepository) -> None:
    made.commit({"a.md": "a"})
    (made.folder / ".git/config").write_text("[core\n")
    assert "bad config line 1" in refusal_of(made.folder)


def test_without_the_git_program_the_error_says_so(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs the git program" in refusal_of(made.folder)


def stand_in(place: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A git that does something else first."""
    real = shutil.which("git")
    program = place / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n{script}\nexec {real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_a_repository_of_another_user_is_explained_with_the_remedy(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.commit({"a.md": "a"})
    stand_in(tmp_path, monkeypatch, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "trusted"))
    said = refusal_of(made.folder)
    assert "belongs to another user" in said
    remedy = f"git config --global --add safe.directory {made.folder}"
    assert said.endswith(remedy)
    os.system(remedy)
    assert read_at(made.folder) == {"a.md": b"a"}


# What a repository cannot do


def test_a_repository_starts_no_program_of_its_own(made: GitRepository, tmp_path: Path) -> None:
    """Not even where an object is missing that its configuration promises to fetch."""
    made.commit({"a.md": "a", "b.md": "b"})
    blob = made.git("rev-parse", "HEAD:a.md")
    (made.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://host/repository",
        "core.sshCommand": str(trap),
        "core.fsmonitor": str(trap),
        "core.pager": str(trap),
        "protocol.allow": "always",
    }
    for name, value in settings.items():
        made.git("config", name, value)
    assert read_at(made.folder) == {
        "a.md": f"its blob {blob} is not in the repository",
        "b.md": b"b",
    }
    with GitSource(made.folder, "main") as source:
        assert source.read(SourceFile("a.md", 1)) == SourceProblem(
            "a.md", "cannot be read: missing"
        )
    assert not (tmp_path / "sprung").exists()
    with pytest.raises(Exception, match="cat-file"):  # the trap works where nobody guards
        made.git("cat-file", "-p", blob)
    assert (tmp_path / "sprung").exists()


def test_git_s_own_variables_lead_nowhere_else(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A hook is started with GIT_DIR and more of the repository it belongs to."""
    made.commit({"a.md": "right"})
    other = GitRepository(tmp_path / "other")
    other.commit({"a.md": "wrong"})
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.folder / ".git/objects"))
    assert read_at(made.folder) == {"a.md": b"right"}


def test_reading_changes_nothing_in_the_repository(made: GitRepository) -> None:
    made.commit({"a.md": "a"})
    before = {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")}
    read_at(made.folder)
    assert {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")} == before


# The process behind it


def test_a_damaged_object_ends_the_reading_with_the_file_s_name_and_git_s_words(
    made: GitRepository,
) -> None:
    made.commit({"a.md": "a" * 1000})
    blob = made.git("rev-parse", "HEAD:a.md")
    place = made.folder / ".git/objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:20])
    with (
        GitSource(made.folder, "main") as source,
        pytest.raises(BadInput, match=r"git stopped while it read a.md: fatal: .*; git fsck"),
    ):
        source.read(SourceFile("a.md", 1000, content_id=f"git:{blob}"))


def test_a_reader_that_dies_is_an_error_and_not_an_empty_file(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.commit({"a.md": "a"})
    dies = 'case "$*" in *cat-file*) echo "killed by the moon" >&2; exit 3;; esac'
    stand_in(tmp_path, monkeypatch, dies)
    with (
        GitSource(made.folder, "main") as source,
        pytest.raises(BadInput, match=r"git stopped while .*killed by the moon"),
    ):
        read_files(source)


def test_a_listing_that_breaks_off_is_an_error_and_not_a_smaller_repository(
    made: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.commit({"a.md": "a"})
    stand_in(tmp_path, monkeypatch, 'case "$*" in *ls-tree*) exit 3;; esac')
    with pytest.raises(BadInput, match=r"git cannot list .*: git ended with exit code 3"):
        read_at(made.folder)


@requires_children_file
def test_no_process_is_left_behind(made: GitRepository) -> None:
    made.commit({"a.md": "a"})
    before = processes()
    with GitSource(made.folder, "main") as source:
        read_files(source)
        assert processes() > before
    assert processes() == before
    read_files(source)  # may be read again, and is given back when nobody holds it
    del source
    gc.collect()
    assert processes() == before


@requires_children_file
def test_a_listing_that_nobody_finishes_leaves_nothing_behind(made: GitRepository) -> None:
    made.commit({f"{number}.md": "x" for number in range(3000)})
    before = processes()
    with GitSource(made.folder, "main") as source:
        next(iter(source.files()))
    gc.collect()
    assert processes() == before
