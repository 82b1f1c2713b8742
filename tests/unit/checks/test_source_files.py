"""Modules are counted and sized; a class name belongs to one class."""

from pathlib import Path

from checks.source_files import (
    SourceFile,
    compute_median,
    compute_percentile,
    find_duplicate_classes,
    read_files,
)


def _file(path: str, text: str) -> SourceFile:
    return SourceFile(Path(path), text)


def test_files_are_read_by_suffix_below_the_package(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.py").write_text("b = 1\n")
    (tmp_path / "a.sql").write_text("SELECT 1;\n")
    (tmp_path / "notes.txt").write_text("no code")
    assert [file.path for file in read_files(tmp_path, ".py")] == [Path("inner/b.py")]
    assert len(read_files(tmp_path, ".py", ".sql")) == 2


def test_the_testing_package_is_known_apart() -> None:
    assert _file("testing/suite.py", "").is_testing
    assert not _file("model/testing.py", "").is_testing


def test_lengths_are_summed_up_by_median_and_nearest_rank() -> None:
    files = [_file(f"{n}.py", "x\n" * n) for n in range(1, 21)]
    assert compute_median(files) == 10
    assert compute_percentile(files, 95) == 19
    assert compute_percentile([*files, _file("long.py", "x\n" * 500)], 95) == 20


def test_a_class_name_defined_twice_is_listed_with_both_positions() -> None:
    files = [
        _file("a.py", "class Row: ...\nclass Table: ...\n"),
        _file("b.py", "class Outer:\n    class Row: ...\n"),
    ]
    assert find_duplicate_classes(files) == {"Row": ("a.py:1", "b.py:2")}
    assert find_duplicate_classes(files, frozenset({"Row"})) == {}
