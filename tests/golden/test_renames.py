"""The command that compares golden values across the change of names."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.golden.renames import main, rename_old

DIGESTS = ("ab" * 32, "cd" * 32)


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    return old, new


def compare(folders: tuple[Path, Path], old: Any, new: Any) -> int:
    for folder, value in zip(folders, (old, new), strict=True):
        (folder / "area.json").write_text(json.dumps(value), encoding="utf-8")
    return main(*map(str, folders))


def test_a_renamed_value_with_another_digest_is_the_same(folders: tuple[Path, Path]) -> None:
    old = {"asking": {"prompt_digest": DIGESTS[0], "window": 9}}
    new = {"generation": {"prompt_digest": DIGESTS[1], "context_window": 9}}
    assert compare(folders, old, new) == 0


def test_a_changed_value_is_printed(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(folders, {"sender": "a", "via": "calls"}, {"from": "b", "via": "calls"}) == 1
    assert capsys.readouterr().out.splitlines()[0] == "area / from:"


def test_a_name_that_is_no_option_stays() -> None:
    """`documents` is an option, a relation, a pipeline and a level, too."""
    step = {"options": [["documents", 6], ["over", "documents"]], "edges": [["documents", 2]]}
    assert rename_old(step) == {
        "options": [["max_documents", 6], ["over", "documents"]],
        "edges": [["documents", 2]],
    }
