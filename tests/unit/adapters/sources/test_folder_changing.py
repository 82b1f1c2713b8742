"""A folder that changes while it is read: nothing outside is read, and nothing blocks."""

import os
import shutil
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from docgraph.adapters.sources.folder import CHANGED, FolderSource
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceOptions, SourceProblem
from docgraph.wiring.sources import open_source


def run_within(seconds: float, read: Callable[[], object]) -> object:
    """The result of `read`; an error if it takes longer."""
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(read()), daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it blocks"
    return found[0]


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as line:
        home = Path.cwd()
        os.chdir(path.parent)  # a socket's name may have a hundred bytes
        line.bind(path.name)
        os.chdir(home)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_text("secret")
    for folder in ("docs/in", "private"):
        (tmp_path / "root" / folder).mkdir(parents=True)
        (tmp_path / "root" / folder / "a.md").write_text(folder)
    (tmp_path / "root" / "docs" / "b.md").write_text("b")
    return tmp_path / "root"


def list_files(source: FolderSource) -> dict[str, SourceFile]:
    return {file.path: file for file in source.files() if isinstance(file, SourceFile)}


@pytest.mark.parametrize(
    "replace",
    [
        lambda path: path.symlink_to("../../../outside/a.md"),
        lambda path: path.symlink_to("../../private/a.md"),  # it may have another access rule
        os.mkfifo,
        Path.mkdir,
        make_socket,
    ],
    ids=["link out", "link within", "pipe", "folder", "socket"],
)
def test_a_file_that_changes_its_kind_is_a_problem_and_the_others_are_read(
    root: Path, replace: Callable[[Path], None]
) -> None:
    source = FolderSource(root)
    files = list_files(source)
    (root / "docs/in/a.md").unlink()
    replace(root / "docs/in/a.md")
    found = run_within(5, lambda: source.read(files["docs/in/a.md"]))
    assert found == SourceProblem("docs/in/a.md", CHANGED)
    assert source.read(files["docs/b.md"]) == b"b"


@pytest.mark.parametrize("target", ["../../outside", "../private"])
def test_a_folder_that_becomes_a_link_is_not_entered(root: Path, target: str) -> None:
    source = FolderSource(root)
    files = list_files(source)
    shutil.rmtree(root / "docs/in")
    (root / "docs/in").symlink_to(target)
    assert source.read(files["docs/in/a.md"]) == SourceProblem("docs/in/a.md", CHANGED)


def test_a_folder_that_becomes_a_link_is_not_listed(root: Path) -> None:
    found = FolderSource(root).files()
    assert next(found).path == "private/a.md"  # `docs` is not yet listed
    shutil.rmtree(root / "docs")
    (root / "docs").symlink_to("../outside")
    assert list(found) == [SourceProblem("docs", "cannot be opened: Not a directory")]


def test_a_link_is_read_at_the_target_that_was_listed(root: Path) -> None:
    (root / "l.md").symlink_to("docs/b.md")
    source = FolderSource(root)
    files = list_files(source)
    for target in ("../outside/a.md", "private/a.md"):
        (root / "l.md").unlink()
        (root / "l.md").symlink_to(target)
        assert source.read(files["l.md"]) == b"b"


def test_a_root_that_becomes_a_link_is_read_as_it_was(root: Path) -> None:
    source = FolderSource(root / "docs")
    (root / "docs").rename(root / "moved")
    (root / "docs").symlink_to("../outside")
    assert sorted(list_files(source)) == ["b.md", "in/a.md"]
    assert source.read(SourceFile("b.md", 1)) == b"b"


@pytest.mark.parametrize("path", ["docs", "docs/in", "docs/b.md"])
def test_a_path_that_points_outside_when_it_is_opened_is_absent(root: Path, path: str) -> None:
    """It was inside when it was listed."""
    shutil.rmtree(root / "docs")
    (root.parent / "outside" / "in").mkdir()
    (root.parent / "outside" / "b.md").write_text("secret")
    (root / "docs").symlink_to("../outside")
    with (
        pytest.raises(BadInput, match="there is no such file or folder"),
        open_source(root / path, SourceOptions(inside=root)),
    ):
        pass


def test_a_path_inside_is_read(root: Path) -> None:
    source = FolderSource(root / "docs", inside=root)
    assert sorted(list_files(source)) == ["b.md", "in/a.md"]
    single = FolderSource(root / "docs" / "b.md", inside=root)
    assert [single.read(file) for file in list_files(single).values()] == [b"b"]


@pytest.mark.parametrize("path", ["../outside/a.md", "docs/../../outside/a.md", "/etc/hostname"])
def test_a_path_that_was_not_listed_cannot_leave_the_folder(root: Path, path: str) -> None:
    assert FolderSource(root).read(SourceFile(path, 1)) == SourceProblem(path, CHANGED)


def test_descriptors_are_closed(root: Path) -> None:
    def read() -> None:
        source = FolderSource(root / "docs", inside=root)
        for file in [*list_files(source).values(), SourceFile("none/none/a.md", 1)]:
            source.read(file)

    before = sorted(Path("/dev/fd").iterdir())
    for _ in range(5):
        read()
    assert sorted(Path("/dev/fd").iterdir()) == before
