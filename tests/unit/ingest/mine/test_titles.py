"""A text in which another document's title stands mentions that document."""

import pytest

from docgraph.ingest.mine.claims import MOST_EVIDENCE, Claim
from docgraph.ingest.mine.titles import spellings, titles
from tests.unit.ingest.fakes import claims, corpus


def mentions(text: str, *others: str, path: str = "a.txt") -> list[tuple[str, str, int]]:
    """(target, what is said, rank) for a text beside documents with these titles."""
    files = {f"{number}.md": f"# {title}\n" for number, title in enumerate(others)}
    found = titles(corpus({path: text} | files))
    told = [f for f in found if isinstance(f, Claim) and f.edge.source == f"r:{path}"]
    return [(f.edge.target[2:-3], f.evidence.says, f.evidence.rank) for f in told]


def test_a_title_in_the_text_is_a_mention_with_its_place() -> None:
    found = list(titles(corpus({"a.txt": "x" * 101 + "\nby Port Blair.", "b.md": "# Port Blair"})))
    assert claims(found) == [("a.txt", "mentions", "b.md")]
    (claim,) = (f.evidence for f in found if isinstance(f, Claim))
    assert (claim.line, claim.start, claim.end, claim.says) == (2, 105, 115, "Port Blair")


@pytest.mark.parametrize(
    ("text", "said"),
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
def test_a_mention_is_whole_words_in_the_same_letters(text: str, said: bool) -> None:
    assert bool(mentions(f"Intro\n\n{text}", "Access Plan")) is said


def test_a_disambiguation_is_left_off_at_a_higher_rank() -> None:
    assert spellings("Mercury (planet)") == ("Mercury (planet)", "Mercury")
    found = mentions("On\n\nMercury and Mercury (planet)", "Mercury (planet)", "Mercury")
    assert found == [
        ("0", "Mercury", 1),
        ("0", "Mercury", 1),
        ("0", "Mercury (planet)", 0),
        ("1", "Mercury", 0),
        ("1", "Mercury", 0),
    ]


def test_shorter_titles_inside_longer_ones_are_claimed_too() -> None:
    found = mentions("In\n\nNew York City", "New York City", "New York", "York City")
    assert [(target, said) for target, said, _ in found] == [
        ("0", "New York City"),
        ("1", "New York"),
        ("2", "York City"),
    ]


def test_every_bearer_of_a_title_is_claimed_but_no_text_mentions_its_own() -> None:
    assert [target for target, _, _ in mentions("On\n\nMercury", "Mercury", "Mercury")] == [
        "0",
        "1",
    ]
    assert mentions("Mercury\n\nMercury", "Mercury") == []


def test_very_short_titles_and_file_names_are_no_titles() -> None:
    assert mentions("On\n\nIt and You", "It", "You") == []
    assert claims(titles(corpus({"a.txt": "On\n\nsee notes.md", "notes.md": "no heading"}))) == []


def test_code_is_not_mentioned_and_mentions_by_more_than_one_word() -> None:
    files = {"store.py": "", "a.txt": "On\n\nthe store"}
    assert claims(titles(corpus(files))) == []
    assert mentions("# Search, Access Plan", "Search", "Access Plan", path="a.py") == [
        ("1", "Access Plan", 0)
    ]


def test_an_edge_shows_its_first_places_only() -> None:
    found = mentions("On\n\n" + "Mercury " * 200, "Mercury")
    assert len(found) == MOST_EVIDENCE
