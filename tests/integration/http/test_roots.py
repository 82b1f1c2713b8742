"""Ingestions read below the roots, wherever a path or a link would lead, and nowhere else."""

import os
import subprocess
from pathlib import Path

import pytest

from docgraph.adapters.sources.git_bounds import check_bounds
from docgraph.doors.http.roots import Roots
from docgraph.model.errors import BadInput


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A root with files and links, and something beside it."""
    root = tmp_path / "root"
    (root / "docs" / "inner").mkdir(parents=True)
    (root / "docs" / "a.md").write_text("a", encoding="utf-8")
    (root / ".hidden").mkdir()
    (tmp_path / "rooted").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret", encoding="utf-8")
    (root / "away").symlink_to(tmp_path / "outside")
    (root / "docs" / "away.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "near").symlink_to(root / "docs")
    (root / "to-hidden").symlink_to(root / ".hidden")
    (root / "loop").symlink_to(root / "loop")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("docs", "docs"),
        ("docs/", "docs"),
        ("docs/inner", "docs/inner"),
        ("docs/a.md", "docs/a.md"),
        ("near", "docs"),
        ("near/a.md", "docs/a.md"),
    ],
)
def test_what_lies_below_a_root_is_found(place: Path, path: str, found: str) -> None:
    there = Roots([str(place / "root")]).find(path)
    assert there is not None
    assert there.path == (place / "root" / found).resolve()


@pytest.mark.parametrize(
    "path",
    [
        "nowhere",
        "..",
        "../outside",
        "../rooted",
        "docs/../../outside",
        "docs/..",
        "/",
        "/etc",
        "//etc",
        "~",
        "~root",
        "C:\\Windows",
        "C:docs",
        "\\\\server\\share",
        "\\etc",
        "docs\\..\\..\\outside",
        "away",
        "away/secret.md",
        "docs/away.md",
        "near/../../outside",
        "loop",
        "loop/a.md",
        ".hidden",
        "to-hidden",
        "docs/a.md/b",
        "docs\x00",
        "docs\n",
        "a" * 5_000,
        "a/" * 2_000,
        "\ud800",
    ],
)
def test_whatever_else_is_not_there(place: Path, path: str) -> None:
    assert Roots([str(place / "root")]).find(path) is None


def test_an_absolute_path_below_a_root_is_not_there_either(place: Path) -> None:
    """Whoever asks need not know where a root lies, and is not told by trying."""
    assert Roots([str(place / "root")]).find(str(place / "root" / "docs")) is None


def test_a_root_may_be_a_link_itself(place: Path) -> None:
    (place / "alias").symlink_to(place / "root")
    there = Roots([str(place / "alias")]).find("docs/a.md")
    assert there is not None
    assert there.root == (place / "root").resolve()


def test_the_first_root_that_has_it_counts(place: Path) -> None:
    roots = Roots([str(place / "rooted"), str(place / "outside")])
    there = roots.find("secret.md")
    assert there is not None
    assert there.root == (place / "outside").resolve()


def test_a_root_that_is_no_folder_is_told_at_the_start(place: Path) -> None:
    with pytest.raises(BadInput, match="there is no folder"):
        Roots([str(place / "nowhere")])


# Git


def git(folder: Path, *words: str) -> None:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(
        ["git", *identity, *words], cwd=folder, env=clean, check=True, capture_output=True
    )


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "a.md").write_text("# A\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message=a")
    return folder


def test_a_repository_below_the_root_is_opened(tmp_path: Path) -> None:
    check_bounds(repository(tmp_path / "root" / "repo"), tmp_path / "root")
    git(tmp_path / "root", "clone", "--quiet", "--bare", "repo", "bare.git")
    check_bounds(tmp_path / "root" / "bare.git", tmp_path / "root")
    git(tmp_path / "root" / "repo", "worktree", "add", "--quiet", "../linked", "-b", "other")
    check_bounds(tmp_path / "root" / "linked", tmp_path / "root")
    git(tmp_path / "root", "clone", "--quiet", "--shared", "repo", "sharing")
    check_bounds(tmp_path / "root" / "sharing", tmp_path / "root")


def test_a_repository_around_the_root_is_not_opened(tmp_path: Path) -> None:
    """Git looks for one further and further up."""
    inner = repository(tmp_path / "repo") / "docs"
    inner.mkdir()
    with pytest.raises(BadInput, match="outside"):
        check_bounds(inner, inner)


def test_a_repository_that_keeps_its_commits_elsewhere_is_not_opened(tmp_path: Path) -> None:
    outside, root = repository(tmp_path / "outside"), tmp_path / "root"
    root.mkdir()
    git(outside, "worktree", "add", "--quiet", str(root / "linked"), "-b", "other")
    (root / "pointing").mkdir()
    (root / "pointing" / ".git").write_text(f"gitdir: {outside / '.git'}\n", encoding="utf-8")
    (root / "link").mkdir()
    (root / "link" / ".git").symlink_to(outside / ".git")
    git(root, "clone", "--quiet", "--shared", str(outside), "sharing")
    git(root, "clone", "--quiet", "--no-hardlinks", str(outside), "inner")
    objects = root / "inner" / ".git" / "objects"
    first = next(one for one in sorted(objects.iterdir()) if one.is_dir())
    first.rename(tmp_path / "moved")
    first.symlink_to(tmp_path / "moved")
    for name in ("linked", "pointing", "link", "sharing", "inner"):
        with pytest.raises(BadInput, match="outside"):
            check_bounds(root / name, root)


def test_a_repository_that_borrows_in_a_circle_is_looked_at_once(tmp_path: Path) -> None:
    repo = repository(tmp_path / "root" / "repo")
    objects = repo / ".git" / "objects"
    (objects / "info" / "alternates").write_text(f"{objects}\n", encoding="utf-8")
    check_bounds(repo, tmp_path / "root")


def test_what_is_no_repository_is_left_to_whoever_opens_it(tmp_path: Path) -> None:
    check_bounds(tmp_path, tmp_path)
