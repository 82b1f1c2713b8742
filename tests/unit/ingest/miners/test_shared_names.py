"""Documents with the same name share it, unless too many have it."""

from dataclasses import replace

from docgraph.model.link import MAX_NAME_HOLDERS
from docgraph.model.node import CODE
from docgraph.model.reference import Reference
from tests.unit.ingest.fakes import built, edges, parsed

TEXT = "One day Marie Curie met Pierre Curie.\n\nThen Marie Curie left.\n"


def names(text: str, path: str = "a.md") -> list[Reference]:
    return [one for one in built(path, text).references if one.miner == "names"]


def test_a_name_is_a_reference_once_where_it_first_occurs() -> None:
    first, *_ = [one for one in names(TEXT) if one.target.key == "entity:Marie Curie"]
    assert (first.relation, first.suffix) == ("shares_entity", "")
    assert (first.line, TEXT[first.start : first.end], first.text) == (
        1,
        "Marie Curie",
        "Marie Curie",
    )
    assert [one.target.key for one in names(TEXT)].count("entity:Marie Curie") == 1


def test_a_title_that_the_source_gives_has_names_without_a_span() -> None:
    made = built("a.txt", parsed("a.txt", "no name here", title="On Marie Curie"))
    (one,) = [one for one in made.references if one.target.key == "entity:Marie Curie"]
    assert (one.start, one.end, one.line) == (0, 0, 1)
    twice = built("a.txt", parsed("a.txt", "of Marie Curie", title="On Marie Curie"))
    (one,) = [one for one in twice.references if one.target.key == "entity:Marie Curie"]
    assert (one.start, one.end) == (3, 14)


def test_documents_with_the_same_name_share_it_in_both_directions() -> None:
    files = {"a.md": TEXT, "b.md": "Here is Marie Curie.", "c.md": "Here is nobody."}
    assert edges(files, "names") == [
        ("a.md", "shares_entity", "b.md"),
        ("b.md", "shares_entity", "a.md"),
    ]


def test_a_name_of_many_documents_relates_no_two_of_them() -> None:
    files = {f"{n}.md": "Here is Marie Curie." for n in range(MAX_NAME_HOLDERS)}
    assert len(edges(files, "names")) == MAX_NAME_HOLDERS * (MAX_NAME_HOLDERS - 1)
    assert edges(files | {"one-more.md": "And here is Marie Curie."}, "names") == []


def test_names_are_read_in_prose() -> None:
    whole = parsed("a.md", TEXT)
    rest = replace(whole, prose=((whole.text.index("Then"), len(whole.text)),))
    (line,) = [
        one.line for one in built("a.md", rest).references if one.target.key == "entity:Marie Curie"
    ]
    assert line == 3


def test_code_has_no_names_of_this_kind() -> None:
    assert names("# Marie Curie met Pierre Curie\n", "a.py") == []
    assert not any(
        one.miner == "names"
        for one in built("a.md", replace(parsed("a.md", TEXT), kind=CODE)).references
    )
