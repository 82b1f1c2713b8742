"""Suggestions for unknown names."""

import pytest

from docgraph.model.validation import (
    MAX_COMPARED_CHARACTERS,
    MAX_COMPARISONS,
    closest_name,
    closest_path,
    suggest,
)

KNOWN = ("calls", "imports")


def test_the_closest_name_is_suggested() -> None:
    assert suggest("import", KNOWN) == "did you mean 'imports'?"


def test_where_none_is_close_all_are_listed() -> None:
    assert suggest("zzz", KNOWN) == "known: calls, imports"


def test_the_closest_of_many_names_is_found() -> None:
    many = [f"branch-{number:05}" for number in range(2_000)]
    assert suggest("branch-0199", many) == "did you mean 'branch-01999'?"
    assert closest_name("NONE-CLOSE", [*many, "none-clos"]) == "none-clos"


def test_long_names_are_not_compared() -> None:
    longest = "a" * MAX_COMPARED_CHARACTERS
    assert closest_name(longest, [f"{longest[:-1]}b"]) == f"{longest[:-1]}b"
    assert closest_name(f"{longest}a", [longest]) is None
    assert closest_name(longest, [f"{longest}a"]) is None
    assert closest_path(f"a/{longest}", [f"b/{longest}"]) == f"b/{longest}"


def test_only_so_many_characters_are_compared() -> None:
    """Names whose letters are those of the unknown one take the most time."""
    unknown = "ab" * 50
    alike = [f"{'ba' * 45}{number:010}" for number in range(MAX_COMPARISONS // len(unknown) ** 2)]
    assert closest_name(unknown, [*alike[:-2], f"{unknown}z"]) == f"{unknown}z"
    assert closest_name(unknown, [*alike, f"{unknown}z"]) in alike


@pytest.mark.parametrize(
    ("path", "suggested"),
    [
        ("missing.md", None),
        ("limts.md", "limits.md"),
        ("Limit.md", "limits.md"),
        ("limits.txt", "limits.rst"),
        ("limits.m", "limits.md"),
        ("limits", "limits.md"),
        (".limits", "limits.md"),
        ("c.md", None),
        ("b/a.md", "old/b/a.md"),
    ],
)
def test_names_of_files_are_compared_without_their_suffix(path: str, suggested: str | None) -> None:
    known = ["limits.md", "limits.rst", "b.md", "pause.md", "old/b/a.md", "older/a.md"]
    assert closest_path(path, known) == suggested
