"""A document that links to another references it."""

from docgraph.ingest.mine.links import links
from tests.unit.ingest.fakes import claims, corpus, unresolved


def test_a_link_references_the_file_it_names() -> None:
    found = corpus({"docs/a.md": "[b](../b.rst) and [again](/b.rst)", "b.rst": ""})
    assert set(claims(links(found))) == {("docs/a.md", "references", "b.rst")}


def test_an_anchor_leads_to_the_section_if_there_is_one() -> None:
    found = corpus({"a.md": "[x](b.md#Part) [y](b.md#gone)", "b.md": "# B\n\n## Part\n"})
    assert claims(links(found)) == [
        ("a.md", "references", "b.md#part"),
        ("a.md", "references", "b.md"),
    ]


def test_every_file_that_a_link_may_mean_is_claimed_and_ranked() -> None:
    found = corpus({"a.md": "[x](x)", "x.md": "", "x/README.md": "", "x/index.rst": ""})
    claimed = sorted(links(found), key=lambda f: f.evidence.rank if hasattr(f, "evidence") else 0)
    assert [target for _, _, target in claims(claimed)] == ["x.md", "x/README.md", "x/index.rst"]


def test_a_role_references_the_document_that_bears_the_number() -> None:
    found = corpus({"a.rst": "See :pep:`8` and :rfc:`1`.", "peps/pep-0008.rst": ""})
    assert claims(links(found)) == [("a.rst", "references", "peps/pep-0008.rst")]
    assert unresolved(links(found)) == [("a.rst", 1, "RFC 1")]


def test_addresses_and_links_to_oneself_are_no_references() -> None:
    found = corpus({"a.md": "# A\n\n## S\n\n[x](#s) [y](a.md#s) [z](https://x.y/b.md)"})
    assert list(links(found)) == []


def test_a_link_to_nothing_is_unresolved_with_its_line() -> None:
    found = corpus({"a.md": "one\n\n[b](gone.md)"})
    assert unresolved(links(found)) == [("a.md", 3, "gone.md")]
