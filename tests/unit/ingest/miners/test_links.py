"""A document that links to another references it."""

from tests.unit.ingest.fakes import edges, evidence_of, ranked, unresolved


def test_a_link_references_the_file_it_names() -> None:
    files = {"docs/a.md": "[b](../b.rst) and [again](/b.rst)", "b.rst": ""}
    assert edges(files, "links") == [("docs/a.md", "references", "b.rst")]
    assert [one.text for one in evidence_of(files, "links")] == ["../b.rst", "/b.rst"]


def test_an_anchor_leads_to_the_section_if_there_is_one() -> None:
    target = "# B\n\n## Part\n"
    for anchor in ("part", "Part", "PART"):
        found = edges({"a.md": f"[x](b.md#{anchor})", "b.md": target}, "links")
        assert found == [("a.md", "references", "b.md#part")]
    found = edges({"a.md": "[y](b.md#gone)", "b.md": target}, "links")
    assert found == [("a.md", "references", "b.md")]


def test_which_file_is_the_target_does_not_depend_on_its_sections() -> None:
    files = {"a.md": "[x](b#part)", "b.md": "# B\n", "b.rst": "B\n=\n\nPart\n----\n"}
    assert edges(files, "links") == [("a.md", "references", "b.md")]


def test_every_file_that_a_link_may_mean_is_a_target_and_ranked() -> None:
    files = {"a.md": "[x](x)", "x.md": "", "x/README.md": "", "x/index.rst": ""}
    assert ranked(files, "links") == ["x.md", "x/README.md", "x/index.rst"]
    assert edges(files, "links") == [("a.md", "references", "x.md")]


def test_a_role_references_the_document_with_the_number() -> None:
    files = {"a.rst": "See :pep:`8` and :rfc:`1`.", "peps/pep-0008.rst": ""}
    assert edges(files, "links") == [("a.rst", "references", "peps/pep-0008.rst")]
    assert unresolved(files, "links") == [("a.rst", 1, "references RFC 1")]


def test_of_several_with_a_number_the_nearest_is_the_target() -> None:
    files = {"x/a.rst": "See :pep:`8`.", "x/pep-0008.rst": "", "y/pep-0008.rst": ""}
    assert edges(files, "links") == [("x/a.rst", "references", "x/pep-0008.rst")]


def test_addresses_and_links_to_oneself_are_no_references() -> None:
    files = {"a.md": "# A\n\n## S\n\n[x](#s) [y](a.md#s) [z](https://x.y/b.md)"}
    assert edges(files, "links") == []
    assert unresolved(files, "links") == []


def test_a_link_to_nothing_is_unresolved_with_its_line() -> None:
    assert unresolved({"a.md": "one\n\n[b](gone.md)"}, "links") == [
        ("a.md", 3, "references gone.md")
    ]
