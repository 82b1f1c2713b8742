"""A path goes by its folder's name, and git's own folder is known when it is seen."""

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
def test_a_path_goes_by_its_folder_s_name(tmp_path: Path, path: str, name: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("a")
    assert default_repository(tmp_path / path) == name


def test_the_folder_one_stands_in_goes_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert default_repository(Path()) == "here"


@pytest.mark.parametrize("path", ["/", "/.git"])
def test_what_has_no_name_must_be_given_one(path: str) -> None:
    with pytest.raises(BadInput, match="name its repository"):
        default_repository(Path(path))


def test_a_bare_repository_is_distinguished_from_a_work_tree_and_from_a_folder(
    tmp_path: Path,
) -> None:
    made = GitRepository(tmp_path / "work")
    made.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    known = ("bare.git", "work/.git", "work", ".", "none")
    assert [is_bare(tmp_path / path) for path in known] == [True, True, False, False, False]
