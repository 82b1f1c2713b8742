"""The default name of a repository, and the detection of bare git repositories."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput
from docgraph.wiring.sources import default_repository, is_bare
from tests.support.git_repository import GitRepository


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("notes", "notes"),
        ("notes.git", "notes"),
        ("notes/.git", "notes"),
        ("notes/inner/..", "notes"),
        ("v1.2", "v1.2"),
        ("notes/a.md", "notes"),
    ],
)
def test_the_default_name_is_that_of_the_folder(tmp_path: Path, path: str, name: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("a")
    assert default_repository(tmp_path / path) == name


def test_the_current_folder_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert default_repository(Path()) == "here"


@pytest.mark.parametrize("path", ["/", "/.git"])
def test_a_path_without_a_name_needs_a_repository_name(path: str) -> None:
    with pytest.raises(BadInput, match="name its repository"):
        default_repository(Path(path))


def test_a_bare_repository_is_neither_a_work_tree_nor_a_folder(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "work")
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    paths = ("bare.git", "work/.git", "work", ".", "none")
    assert [is_bare(tmp_path / path) for path in paths] == [True, True, False, False, False]
