"""Documents that hold the same name share it; how rare it must be, the question decides."""

from dataclasses import replace

from docgraph.model.link import MAX_NAME_HOLDERS
from docgraph.model.node import CODE
from docgraph.model.reference import Reference
from tests.unit.ingest.fakes import built, edges, parsed

TEXT = "One day Marie Curie met Pierre Curie.\n\nThen Marie Curie left.\n"


def names(text: str, path: str = "a.md") -> list[Reference]:
    return [claim for claim in built(path, text).references if claim.miner == "names"]


def test_a_name_is_claimed_once_where_it_first_stands() -> None:
    first, *_ = [claim for claim in names(TEXT) if claim.key == "entity:Marie Curie"]
    assert (first.relation, first.source) == ("shares_entity", "r:a.md")
    assert (first.line, TEXT[first.start : first.end], first.says) == (
        1,
        "Marie Curie",
        "Marie Curie",
    )
    assert [claim.key for claim in names(TEXT)].count("entity:Marie Curie") == 1


def test_a_title_that_the_source_gives_holds_names_without_a_place() -> None:
    made = built("a.txt", parsed("a.txt", "no name here", title="On Marie Curie"))
    (claim,) = [claim for claim in made.references if claim.key == "entity:Marie Curie"]
    assert (claim.start, claim.end, claim.line) == (0, 0, 1)
    twice = built("a.txt", parsed("a.txt", "of Marie Curie", title="On Marie Curie"))
    (claim,) = [claim for claim in twice.references if claim.key == "entity:Marie Curie"]
    assert (claim.start, claim.end) == (3, 14)


def test_documents_that_hold_a_name_share_it_both_ways() -> None:
    files = {"a.md": TEXT, "b.md": "Here is Marie Curie.", "c.md": "Here is nobody."}
    assert edges(files, "names") == [
        ("a.md", "shares_entity", "b.md"),
        ("b.md", "shares_entity", "a.md"),
    ]


def test_a_name_that_many_documents_hold_says_nothing_about_two_of_them() -> None:
    files = {f"{n}.md": "Here is Marie Curie." for n in range(MAX_NAME_HOLDERS)}
    assert len(edges(files, "names")) == MAX_NAME_HOLDERS * (MAX_NAME_HOLDERS - 1)
    assert edges(files | {"one-more.md": "And here is Marie Curie."}, "names") == []


def test_names_stand_in_prose() -> None:
    whole = parsed("a.md", TEXT)
    rest = replace(whole, prose=((whole.text.index("Then"), len(whole.text)),))
    (place,) = [
        claim.line for claim in built("a.md", rest).references if claim.key == "entity:Marie Curie"
    ]
    assert place == 3


def test_code_holds_no_names_of_this_kind() -> None:
    assert names("# Marie Curie met Pierre Curie\n", "a.py") == []
    assert not any(
        claim.miner == "names"
        for claim in built("a.md", replace(parsed("a.md", TEXT), kind=CODE)).references
    )
