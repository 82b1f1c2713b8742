"""A folder source lists files inside its root and reports files that it cannot use."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from docgraph.adapters.sources.folder import LEADS_NOWHERE, FolderSource
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceProblem


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def paths(found: Iterable[SourceFile | SourceProblem]) -> list[str]:
    return sorted(file.path for file in found if isinstance(file, SourceFile))


def problems(found: Iterable[SourceFile | SourceProblem]) -> dict[str, str]:
    return {file.path: file.reason for file in found if isinstance(file, SourceProblem)}


def test_paths_are_relative_with_forward_slashes(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c.md", "a/b/d.py")
    source = FolderSource(tmp_path)
    assert paths(source.files()) == ["a/b/d.py", "a/c.md", "b.md"]
    assert source.read(SourceFile("a/c.md", 6)) == b"a/c.md"


def test_hidden_files_and_build_output_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, ".git/x.md", ".hidden.md", "node_modules/x.md", "a/__pycache__/x.py")
    write(tmp_path, "pyproject.toml", "build/x.py", "dist/x.md", "my-env/pyvenv.cfg", "my-env/x.py")
    write(tmp_path, "kept.md", "pip/build/kept.py", "x.egg-info/top.txt")
    assert paths(FolderSource(tmp_path).files()) == [
        "kept.md",
        "pip/build/kept.py",
        "pyproject.toml",
    ]


@pytest.mark.requirement(8)
def test_a_single_file_is_a_source(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    source = FolderSource(tmp_path / "a.md")
    assert list(source.files()) == [SourceFile("a.md", 4)]
    assert source.read(SourceFile("a.md", 4)) == b"a.md"


@pytest.mark.requirement(35)
def test_the_access_file_beside_a_single_file_is_listed_too(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md", "access.yaml", "relations.yaml")
    assert paths(FolderSource(tmp_path / "a.md").files()) == ["a.md", "access.yaml"]
    assert list(FolderSource(tmp_path / "access.yaml").files()) == [SourceFile("access.yaml", 11)]
    (tmp_path / "access.yaml").unlink()
    (tmp_path / "access.yaml").symlink_to("nothing.yaml")
    found = list(FolderSource(tmp_path / "a.md").files())
    assert (paths(found), problems(found)) == (["a.md"], {"access.yaml": LEADS_NOWHERE})


def test_a_root_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere: there is no such file or folder"):
        FolderSource(tmp_path / "nowhere")


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "root/a.md")
    root = tmp_path / "root"
    (root / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (root / "outdir").symlink_to(tmp_path / "outside")
    (root / "inner.md").symlink_to(root / "a.md")
    (root / "dangling.md").symlink_to(root / "nothing.md")
    found = list(FolderSource(root).files())
    assert paths(found) == ["a.md", "inner.md"]
    assert problems(found) == {
        "dangling.md": "a link that leads nowhere",
        "out.md": "a link that leads out of the folder is not followed",
        "outdir": "a link that leads out of the folder is not followed",
    }


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    "target",
    [
        "../outside/secret.md",
        "../outside",
        "../outside/back/a.md",  # a link that is there leads back inside
        "../outside/../root/a.md",
        "{}/outside/secret.md",
        "{}/outside/back/a.md",
        "deep/out/secret.md",
    ],
)
@pytest.mark.parametrize("name", ["l.md", "access.yaml", "relations.yaml"])
def test_a_link_does_not_reveal_what_exists_outside(tmp_path: Path, target: str, name: str) -> None:
    results = []
    for exists in (True, False):
        place = tmp_path / str(exists)
        write(place, "root/a.md", "root/deep/b.md")
        (place / "root/deep/out").symlink_to("../../outside")
        (place / "root" / name).symlink_to(target.format(place))
        if exists:
            write(place, "outside/secret.md")
            (place / "outside/back").symlink_to(place / "root")
        source = FolderSource(place / "root", inside=place / "root")
        found = list(source.files())
        read = [(one, source.read(one)) for one in found if isinstance(one, SourceFile)]
        results.append((read, problems(found)))
    assert results[0] == results[1]


def test_an_absolute_link_into_a_root_that_is_named_by_a_link_is_followed(tmp_path: Path) -> None:
    write(tmp_path, "real/a.md")
    (tmp_path / "named").symlink_to("real")
    (tmp_path / "real/l.md").symlink_to(tmp_path / "named/a.md")
    assert paths(FolderSource(tmp_path / "named").files()) == ["a.md", "l.md"]


@pytest.mark.requirement(35)
def test_a_link_has_the_path_of_its_target_as_alias(tmp_path: Path) -> None:
    write(tmp_path, "secret/b.md", "public/a.md", "secret/.hidden.md")
    (tmp_path / "public/l.md").symlink_to("../secret/b.md")
    (tmp_path / "folder").symlink_to("secret")
    (tmp_path / "public/far.md").symlink_to("../folder/b.md")
    (tmp_path / "chain.md").symlink_to("public/l.md")
    (tmp_path / "hidden.md").symlink_to("secret/.hidden.md")
    found = FolderSource(tmp_path).files()
    assert {f.path: f.aliases for f in found if isinstance(f, SourceFile)} == {
        "secret/b.md": (),
        "public/a.md": (),
        "public/l.md": ("secret/b.md",),
        "public/far.md": ("secret/b.md",),
        "chain.md": ("secret/b.md",),
        "hidden.md": ("secret/.hidden.md",),
    }


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    write(tmp_path, "a/b.md")
    (tmp_path / "a/loop").symlink_to(tmp_path / "a")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    found = list(FolderSource(tmp_path).files())
    assert paths(found) == ["a/b.md"]
    assert problems(found) == {"self": "a link that leads nowhere"}


def test_a_special_file_is_reported_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert problems(FolderSource(tmp_path).files()) == {"pipe.md": "not a regular file"}


def test_a_file_that_is_too_large_says_the_limit_and_how_to_raise_it(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_bytes(b"x" * 1001)
    source = FolderSource(tmp_path, max_bytes=1000)
    found = source.read(SourceFile("big.md", 1001))
    reason = "1,001 bytes is over the limit of 1,000; --max-bytes raises it"
    assert found == SourceProblem("big.md", reason)


@pytest.mark.requirement(11)
def test_an_unreadable_file_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md")

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    source = FolderSource(tmp_path)
    monkeypatch.setattr(os, "open", denied)
    assert source.read(SourceFile("a.md", 4)) == SourceProblem(
        "a.md", "cannot be read: Permission denied"
    )
    monkeypatch.undo()
    monkeypatch.setattr(os, "scandir", denied)
    assert problems(source.files()) == {".": "cannot be opened: Permission denied"}


def test_a_file_that_disappeared_is_a_problem(tmp_path: Path) -> None:
    source = FolderSource(tmp_path)
    reason = "cannot be read: No such file or directory"
    assert source.read(SourceFile("gone.md", 1)) == SourceProblem("gone.md", reason)


def test_a_name_that_is_not_utf8_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.md")).write_text("x")
    assert problems(FolderSource(tmp_path).files()) == {"\\xff.md": "its name is not valid UTF-8"}
