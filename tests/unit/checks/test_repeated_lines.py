"""Six equal lines in two positions are a repeated run, whatever is between them."""

from pathlib import Path

from checks.repeated_lines import RepeatedRun, find_repeated_runs
from checks.source_files import SourceFile

SIX = [f"value_{n} = {n}" for n in range(6)]


def _runs(**texts: list[str]) -> tuple[RepeatedRun, ...]:
    return find_repeated_runs(
        [SourceFile(Path(f"{name}.py"), "\n".join(lines)) for name, lines in texts.items()]
    )


def test_six_equal_lines_in_two_files_are_one_run() -> None:
    assert _runs(a=["x = 1", *SIX], b=SIX) == (RepeatedRun("a.py:2", "b.py:1", 6),)


def test_five_equal_lines_are_none() -> None:
    assert _runs(a=SIX[:5], b=[*SIX[:5], "other = 1"]) == ()


def test_a_longer_run_is_still_one() -> None:
    longer = [*SIX, "six = 6", "seven = 7"]
    assert [run.length for run in _runs(a=longer, b=longer)] == [8]


def test_a_run_within_one_file_counts() -> None:
    assert [str(run) for run in _runs(a=[*SIX, "x = 1", *SIX])] == ["6 lines: a.py:1 and a.py:8"]


def test_a_run_in_three_files_is_three_pairs() -> None:
    assert len(_runs(a=SIX, b=SIX, c=SIX)) == 3


def test_blank_lines_comments_imports_and_punctuation_neither_count_nor_separate() -> None:
    spaced = [*SIX[:3], "", "# why", "from a import (", "    b,", ")", "(", ")", *SIX[3:]]
    assert [run.length for run in _runs(a=spaced, b=SIX)] == [6]
    assert _runs(a=["import os", *SIX[:5]], b=["import os", *SIX[:5]]) == ()


def test_sql_counts_too_without_its_comments() -> None:
    query = [f"SELECT {n};" for n in range(6)]
    files = [
        SourceFile(Path("a.sql"), "\n".join(query)),
        SourceFile(Path("b.sql"), "\n".join([*query[:3], "-- name: other", *query[3:]])),
    ]
    assert len(find_repeated_runs(files)) == 1
