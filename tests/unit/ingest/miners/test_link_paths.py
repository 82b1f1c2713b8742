"""The keys of a file, and what a written path may mean: where both are equal, there is a link."""

import pytest

from docgraph.ingest.miners.links import candidate_paths, is_external, path_keys, split_anchor


def matches(folder: str, written: str, *paths: str) -> list[str]:
    """Those of the files that a path, written in a file of this folder, may mean: best first."""
    keys = {(key, path): rank for path in paths for key, rank in path_keys(path)}
    ranks = [
        (candidate_rank + rank, path)
        for candidate, candidate_rank in candidate_paths(folder, written)
        for (key, path), rank in keys.items()
        if key == candidate
    ]
    assert len({rank for rank, _ in ranks}) == len(ranks), "no two ways of reading are alike"
    return list(dict.fromkeys(path for _, path in sorted(ranks)))


@pytest.mark.parametrize(
    ("folder", "written", "file"),
    [
        ("docs", "a.md", "docs/a.md"),
        ("docs/x", "../a.md", "docs/a.md"),
        ("", "./a.md", "a.md"),
        ("docs", "/a.md", "a.md"),
        ("docs", "..", "README.md"),
        ("docs", ".", "docs/index.rst"),
        ("docs", "/", "README.md"),
        ("docs", "guide/", "docs/guide/index.md"),
        ("", "pkg", "pkg/__init__.py"),
    ],
)
def test_a_path_is_read_from_its_file(folder: str, written: str, file: str) -> None:
    assert matches(folder, written, file, "elsewhere/a.md", "a/README.md") == [file]


def test_a_suffix_may_be_missing_and_a_folder_has_a_front_page() -> None:
    files = ["guide", "guide.md", "guide.rst", "guide.py", "guide/README.md", "guide/index.rst"]
    assert matches("", "guide", *reversed(files)) == files
    assert matches("docs", "guide", *files) == []


def test_a_suffix_alone_is_a_name() -> None:
    assert matches("", "", ".md") == []
    assert matches("", ".md", ".md") == [".md"]


def test_a_leading_slash_is_the_root_or_a_folder_above() -> None:
    files = ["x.md", "docs/x.md", "docs/a/x.md"]
    assert matches("docs/a", "/x.md", *reversed(files), "docs/b/x.md") == files


def test_the_root_comes_before_any_way_of_guessing_below_it() -> None:
    assert matches("docs", "/x", "docs/x", "x/README") == ["x/README", "docs/x"]


def test_a_pages_address_may_mean_its_source() -> None:
    assert matches("docs", "a.html", "docs/a.md", "docs/a.html") == ["docs/a.html", "docs/a.md"]


def test_nothing_is_above_the_root() -> None:
    assert list(candidate_paths("docs", "../../x.md")) == []
    assert list(candidate_paths("docs", "../..")) == []


@pytest.mark.parametrize("target", ["https://a.b/c.md", "mailto:a@b", "//cdn/x", "git+ssh://x"])
def test_an_address_is_external(target: str) -> None:
    assert is_external(target)
    assert not is_external("docs/a.md#b")


def test_an_anchor_is_decoded() -> None:
    assert split_anchor("a%20b.md?x=1#c%C3%A9") == ("a b.md", "cé")
