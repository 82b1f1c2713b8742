"""IngestJobQueue read below the roots, wherever a path or a link would lead, and nowhere else."""

import os
import subprocess
from pathlib import Path

import pytest

from docgraph.interfaces.http.jobs.job_handler import IngestPath, IngestRoots
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceOptions
from docgraph.wiring.server_settings import RootSettings
from docgraph.wiring.sources import open_source


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


def find(root: Path, path: str) -> IngestPath | None:
    return IngestRoots([str(root)], only_tenant="local").find(path, "local")


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
    there = find(place / "root", path)
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
    assert find(place / "root", path) is None


def test_an_absolute_path_below_a_root_is_not_there_either(place: Path) -> None:
    """A client need not know where a root lies, and cannot find out by trying."""
    assert find(place / "root", str(place / "root" / "docs")) is None


def test_a_root_may_be_a_link_itself(place: Path) -> None:
    (place / "alias").symlink_to(place / "root")
    there = find(place / "alias", "docs/a.md")
    assert there is not None
    assert there.root == (place / "root").resolve()


def test_the_first_root_that_has_it_counts(place: Path) -> None:
    roots = IngestRoots([str(place / "rooted"), str(place / "outside")], only_tenant="local")
    there = roots.find("secret.md", "local")
    assert there is not None
    assert there.root == (place / "outside").resolve()


def test_a_root_that_is_no_folder_is_reported_at_the_start(place: Path) -> None:
    with pytest.raises(BadInput, match="there is no folder"):
        IngestRoots([str(place / "nowhere")], only_tenant="local")


# Tenants


def test_a_root_is_there_for_its_own_tenant_alone(place: Path) -> None:
    mine = RootSettings(str(place / "root"), "acme")
    others = RootSettings(str(place / "outside"), "other")
    roots = IngestRoots([mine, others], only_tenant=None)
    there = roots.find("docs", "acme")
    assert there is not None
    assert there.root == (place / "root").resolve()
    for path, tenant in (("docs", "other"), ("docs", "local"), ("docs", ""), ("secret.md", "acme")):
        assert roots.find(path, tenant) is None


def test_a_plain_root_is_refused_where_several_tenants_may_come_in(place: Path) -> None:
    with pytest.raises(BadInput, match=r"whose is .*root.*tenant: …"):
        IngestRoots([str(place / "root")], only_tenant=None)


def test_a_root_inside_that_of_another_tenant_is_refused(place: Path) -> None:
    outer = RootSettings(str(place), "a")
    inner = RootSettings(str(place / "root"), "b")
    for written in ([outer, inner], [inner, outer]):
        with pytest.raises(BadInput, match="'b' lies inside that of 'a'"):
            IngestRoots(written, only_tenant=None)
    both = [outer, RootSettings(str(place), "b")]  # what is shared on purpose is named twice
    assert IngestRoots(both, only_tenant=None).find("root", "b") is not None


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
    repository(tmp_path / "root" / "repo")
    there = find(tmp_path / "root", "repo")
    assert there is not None
    with open_source(there.path, SourceOptions(ref="main", inside=there.root)) as opened:
        assert [file.path for file in opened.source.files()] == ["a.md"]


def test_a_repository_that_borrows_from_outside_is_not_opened(tmp_path: Path) -> None:
    repository(tmp_path / "outside")
    (tmp_path / "root").mkdir()
    git(tmp_path / "root", "clone", "--quiet", "--shared", "../outside", "repo")
    there = find(tmp_path / "root", "repo")
    assert there is not None
    with (
        pytest.raises(BadInput, match="alternates of the repository leads elsewhere"),
        open_source(there.path, SourceOptions(ref="main", inside=there.root)),
    ):
        pass
