"""A text in which another document's title occurs mentions that document."""

import pytest

from docgraph.ingest.formats.text import parse_text
from docgraph.ingest.miners import titles
from docgraph.ingest.miners.titles import mine_titles, title_spellings
from docgraph.model.link import MAX_EVIDENCE
from docgraph.plan.ambiguity import resolve_ambiguity
from docgraph.ports.writes import BuiltDocument
from tests.unit.ingest.fakes import built, candidates, edges, evidence_of
from tests.unit.ingest.memory_writer import MemoryWriter


def mentions(text: str, *others: str, path: str = "a.txt") -> list[tuple[str, str, int]]:
    """(target, what is expected, rank) for a text beside documents with these titles."""
    files = {f"{number}.md": f"# {title}\n" for number, title in enumerate(others)}
    return [
        (found.edge.target[2:-3], one.text, one.rank)
        for found in candidates({path: text} | files, "titles")
        if found.edge.source == f"r:{path}"
        for one in found.evidence
    ]


def test_a_title_in_the_text_is_a_mention_with_its_position() -> None:
    files = {"a.txt": "x" * 101 + "\nby Port Blair.", "b.md": "# Port Blair"}
    assert edges(files, "titles") == [("a.txt", "mentions", "b.md")]
    (one,) = evidence_of(files, "titles")
    assert (one.line, one.start, one.end, one.text) == (2, 105, 115, "Port Blair")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the Access Plan, again", True),
        ("the Access\nPlan", True),
        ("the access plan", False),
        ("the Access Planner", False),
        ("MyAccess Plan", False),
        ("Access Plan_2", False),
        ("(Access Plan)", True),
    ],
)
def test_a_mention_is_whole_words_in_the_same_letters(text: str, expected: bool) -> None:
    assert bool(mentions(f"Intro\n\n{text}", "Access Plan")) is expected


def test_a_disambiguation_is_left_off_at_a_higher_rank() -> None:
    assert title_spellings("Mercury (planet)") == ("Mercury (planet)", "Mercury")
    text = "On\n\nMercury and Mercury (planet)"
    assert mentions(text, "Mercury (planet)", "Mercury") == [
        ("0", "Mercury", 1),
        ("0", "Mercury", 1),
        ("0", "Mercury (planet)", 0),
        ("1", "Mercury", 0),
        ("1", "Mercury", 0),
    ]
    files = {"a.txt": text, "planet.md": "# Mercury (planet)\n", "god.md": "# Mercury\n"}
    resolved = resolve_ambiguity(candidates(files, "titles"))
    assert {found.edge.target: [one.text for one in found.evidence] for found in resolved} == {
        "r:god.md": ["Mercury"],
        "r:planet.md": ["Mercury (planet)"],
    }


def test_shorter_titles_inside_longer_ones_are_mentioned_too() -> None:
    found = mentions("In\n\nNew York City", "New York City", "New York", "York City")
    assert [(target, text) for target, text, _ in found] == [
        ("0", "New York City"),
        ("1", "New York"),
        ("2", "York City"),
    ]
    files = {"a.txt": "In\n\nNew York City", "b.md": "# New York City\n", "c.md": "# New York\n"}
    assert ("a.txt", "mentions", "c.md") not in edges(files, "titles")


def test_every_document_with_a_title_is_mentioned_but_no_text_mentions_its_own() -> None:
    assert [target for target, _, _ in mentions("On\n\nMercury", "Mercury", "Mercury")] == [
        "0",
        "1",
    ]
    assert mentions("Mercury\n\nMercury", "Mercury") == []


def test_a_title_has_a_letter_or_digit() -> None:
    assert title_spellings("=====") == title_spellings("-- (--)") == ()
    assert title_spellings("==== (a)") == ("==== (a)",)
    assert parse_text("a.txt", "=====\nGuide\n=====\n\nText.\n").title == "a.txt"


def test_very_short_titles_and_file_names_are_no_titles() -> None:
    assert mentions("On\n\nIt and You", "It", "You") == []
    assert edges({"a.txt": "On\n\nsee notes.md", "notes.md": "no heading"}, "titles") == []


def test_code_is_not_mentioned_and_mentions_by_more_than_one_word() -> None:
    assert edges({"store.py": "", "a.txt": "On\n\nthe store"}, "titles") == []
    assert mentions("# Search, Access Plan", "Search", "Access Plan", path="a.py") == [
        ("1", "Access Plan", 0)
    ]


def test_an_edge_has_its_first_mentions_only() -> None:
    found = mentions("On\n\n" + "Mercury " * 200, "Mercury")
    assert len(found) == MAX_EVIDENCE


def put(writes: MemoryWriter, files: dict[str, str]) -> None:
    """Writes and searches, as an ingest does."""
    documents = [built(path, text) for path, text in files.items()]
    writes.documents.add([BuiltDocument(found, (), (), ()) for found in documents])
    writes.references.set_miners(frozenset({"titles"}))
    mine_titles(writes.documents, writes.references)


def mentioned(writes: MemoryWriter) -> set[tuple[str, str]]:
    return {(found.edge.source[2:], found.edge.target[2:]) for found in writes.relationships()}


def test_new_texts_are_searched_for_every_title_and_old_ones_for_those_that_are_new() -> None:
    writes = MemoryWriter()
    put(writes, {"a.txt": "On\n\nOld Plan and New Plan", "b.md": "# Old Plan"})
    writes.publish()
    put(writes, {"c.md": "# New Plan\n\nOld Plan", "d.txt": "On\n\nOld Plan and New Plan"})
    assert mentioned(writes) == {
        ("a.txt", "b.md"),
        ("a.txt", "c.md"),
        ("c.md", "b.md"),
        ("d.txt", "b.md"),
        ("d.txt", "c.md"),
    }


def test_old_texts_are_not_searched_where_no_title_is_new() -> None:
    writes = MemoryWriter()
    put(writes, {"a.txt": "On\n\nthe Plan", "b.md": "# Plan"})
    writes.publish()
    writes.documents.searched.clear()
    put(writes, {"b.md": "# Plan\n\nwith more words", "c.md": "# Plan", "d.txt": "On\n\nx"})
    assert writes.documents.searched["old"] == 0
    assert {("a.txt", "b.md"), ("a.txt", "c.md")} <= mentioned(writes)


def test_a_title_that_comes_back_is_found_again() -> None:
    writes = MemoryWriter()
    put(writes, {"b.md": "# Plan"})
    writes.publish()
    writes.documents.remove(["b.md"])
    put(writes, {"a.txt": "On\n\nthe Plan"})
    writes.publish()
    assert mentioned(writes) == set()
    put(writes, {"b.md": "# Plan"})
    assert mentioned(writes) == {("a.txt", "b.md")}


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_many_titles_are_searched_for_some_at_a_time(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """How many fit into memory at once changes no edge."""
    files = {"a.txt": "On\n\nNew York City and Port Blair"}
    files |= {f"{n}.md": f"# {t}" for n, t in enumerate(("New York City", "New York", "Blair"))}
    whole = candidates(files, "titles")
    assert len(whole) == 4
    monkeypatch.setattr(titles, "MAX_TITLES", at_once)
    assert candidates(files, "titles") == whole
