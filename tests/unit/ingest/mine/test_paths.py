"""Which files a written path may mean."""

from itertools import islice

import pytest

from docgraph.ingest.mine.paths import candidates, leads_elsewhere, split_anchor


@pytest.mark.parametrize(
    ("folder", "written", "first"),
    [
        ("docs", "a.md", "docs/a.md"),
        ("docs/x", "../a.md", "docs/a.md"),
        ("", "./a.md", "a.md"),
        ("docs", "/a.md", "a.md"),
        ("docs", "..", "README.md"),
    ],
)
def test_a_path_is_read_from_its_file(folder: str, written: str, first: str) -> None:
    assert next(candidates(folder, written)) == first


def test_a_suffix_may_be_missing_and_a_folder_has_a_front_page() -> None:
    found = list(candidates("docs", "guide"))
    assert found[:3] == ["docs/guide", "docs/guide.md", "docs/guide.rst"]
    assert "docs/guide/README.md" in found
    assert "docs/guide/index.rst" in found


def test_a_leading_slash_is_the_root_or_a_folder_above() -> None:
    found = [path for path in candidates("docs/a", "/x.md") if path.count(".") == 1]
    found = [path for path in found if path.endswith("x.md")]
    assert found == ["x.md", "docs/x.md", "docs/a/x.md"]


def test_nothing_lies_above_the_root() -> None:
    assert list(islice(candidates("docs", "../../x.md"), 1)) == []


@pytest.mark.parametrize("target", ["https://a.b/c.md", "mailto:a@b", "//cdn/x", "git+ssh://x"])
def test_an_address_leads_elsewhere(target: str) -> None:
    assert leads_elsewhere(target)
    assert not leads_elsewhere("docs/a.md#b")


def test_an_anchor_is_decoded() -> None:
    assert split_anchor("a%20b.md?x=1#c%C3%A9") == ("a b.md", "cé")
