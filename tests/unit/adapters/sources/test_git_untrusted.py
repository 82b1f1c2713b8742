"""A git repository is untrusted: it starts no program, and its errors are reported."""

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

# Refusals


def test_the_error_for_an_unknown_name_suggests_another(repository: GitRepository) -> None:
    repository.commit({"a.md": "a"})
    repository.git("tag", "v1.0")
    front = f"{repository.folder}: no branch, tag or commit is called"
    assert refusal_of(repository.folder, "mian") == f"{front} 'mian'; did you mean 'main'?"
    assert refusal_of(repository.folder, "zzz") == f"{front} 'zzz'; known: main, v1.0"


@pytest.mark.parametrize(
    "ref", ["-x", "--all", "--help", "--output=x", "", "main:a.md", "main main"]
)
def test_a_name_is_never_an_option(repository: GitRepository, ref: str) -> None:
    repository.commit({"a.md": "a"})
    assert f"is called {ref!r}" in refusal_of(repository.folder, ref)
    assert not (repository.folder / "x").exists()


@pytest.mark.parametrize("ref", ["a\0b", "a\nb", "\x1b[31m"])
def test_a_name_that_is_not_printable_is_refused(repository: GitRepository, ref: str) -> None:
    repository.commit({"a.md": "a"})
    assert refusal_of(repository.folder, ref) == f"{ref!r} cannot name a branch, tag or commit"


def test_a_repository_without_commits_says_so(repository: GitRepository) -> None:
    assert "there is no commit in it yet" in refusal_of(repository.folder, "HEAD")


def test_the_error_for_a_folder_without_repository_says_what_is_valid(tmp_path: Path) -> None:
    assert "REPO.git" in refusal_of(tmp_path)
    assert refusal_of(tmp_path / "none") == f"{tmp_path / 'none'}: there is no such folder"


def test_a_broken_configuration_gives_the_message_of_git(repository: GitRepository) -> None:
    repository.commit({"a.md": "a"})
    (repository.folder / ".git/config").write_text("[core\n")
    assert "bad config line 1" in refusal_of(repository.folder)


def test_without_the_git_program_the_error_says_so(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs the git program" in refusal_of(repository.folder)


def replace_git(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Puts a git program on the path that runs the script first."""
    real = shutil.which("git")
    program = folder / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n{script}\nexec {real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_a_repository_of_another_user_is_explained_with_the_remedy(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.commit({"a.md": "a"})
    replace_git(tmp_path, monkeypatch, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "trusted"))
    message = refusal_of(repository.folder)
    assert "belongs to another user" in message
    remedy = f"git config --global --add safe.directory {repository.folder}"
    assert message.endswith(remedy)
    os.system(remedy)
    assert read_at(repository.folder) == {"a.md": b"a"}


# Untrusted configuration


def test_a_repository_starts_no_program_of_its_own(
    repository: GitRepository, tmp_path: Path
) -> None:
    """Not even if an object is missing that its configuration would fetch."""
    repository.commit({"a.md": "a", "b.md": "b"})
    blob = repository.git("rev-parse", "HEAD:a.md")
    (repository.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexit 1\n")
    program.chmod(0o755)
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://host/repository",
        "core.sshCommand": str(program),
        "core.fsmonitor": str(program),
        "core.pager": str(program),
        "protocol.allow": "always",
    }
    for name, value in settings.items():
        repository.git("config", name, value)
    assert read_at(repository.folder) == {
        "a.md": f"its blob {blob} is not in the repository",
        "b.md": b"b",
    }
    with GitSource(repository.folder, "main") as source:
        assert source.read(SourceFile("a.md", 1)) == SourceProblem(
            "a.md", "cannot be read: missing"
        )
    assert not (tmp_path / "started").exists()
    with pytest.raises(Exception, match="cat-file"):  # the program runs without protection
        repository.git("cat-file", "-p", blob)
    assert (tmp_path / "started").exists()


def test_environment_variables_of_git_do_not_select_another_repository(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Hooks run with GIT_DIR and other variables of their repository."""
    repository.commit({"a.md": "right"})
    other = GitRepository(tmp_path / "other")
    other.commit({"a.md": "wrong"})
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.folder / ".git/objects"))
    assert read_at(repository.folder) == {"a.md": b"right"}


def test_reading_changes_nothing_in_the_repository(repository: GitRepository) -> None:
    repository.commit({"a.md": "a"})
    before = {path: path.stat().st_mtime_ns for path in repository.folder.rglob("*")}
    read_at(repository.folder)
    assert {path: path.stat().st_mtime_ns for path in repository.folder.rglob("*")} == before


# The git process


def test_the_error_for_a_damaged_object_has_the_file_and_the_message_of_git(
    repository: GitRepository,
) -> None:
    repository.commit({"a.md": "a" * 1000})
    blob = repository.git("rev-parse", "HEAD:a.md")
    place = repository.folder / ".git/objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:20])
    with (
        GitSource(repository.folder, "main") as source,
        pytest.raises(BadInput, match=r"git stopped while it read a.md: fatal: .*; git fsck"),
    ):
        source.read(SourceFile("a.md", 1000, content_id=f"git:{blob}"))


def test_a_git_process_that_dies_is_an_error_and_not_an_empty_file(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.commit({"a.md": "a"})
    dies = 'case "$*" in *cat-file*) echo "killed by the moon" >&2; exit 3;; esac'
    replace_git(tmp_path, monkeypatch, dies)
    with (
        GitSource(repository.folder, "main") as source,
        pytest.raises(BadInput, match=r"git stopped while .*killed by the moon"),
    ):
        read_files(source)


def test_a_listing_that_breaks_off_is_an_error_and_not_a_smaller_repository(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.commit({"a.md": "a"})
    replace_git(tmp_path, monkeypatch, 'case "$*" in *ls-tree*) exit 3;; esac')
    with pytest.raises(BadInput, match=r"git cannot list .*: git ended with exit code 3"):
        read_at(repository.folder)


@requires_children_file
def test_no_process_remains(repository: GitRepository) -> None:
    repository.commit({"a.md": "a"})
    before = processes()
    with GitSource(repository.folder, "main") as source:
        read_files(source)
        assert processes() > before
    assert processes() == before
    read_files(source)  # may be read again, and ends when it is garbage-collected
    del source
    gc.collect()
    assert processes() == before


@requires_children_file
def test_an_unfinished_listing_leaves_no_process(repository: GitRepository) -> None:
    repository.commit({f"{number}.md": "x" for number in range(3000)})
    before = processes()
    with GitSource(repository.folder, "main") as source:
        next(iter(source.files()))
    gc.collect()
    assert processes() == before
