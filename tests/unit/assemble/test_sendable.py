"""The part of a page that may be sent to an endpoint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.assemble.assemble_context import assemble_context
from docgraph.assemble.render import item_block, render
from docgraph.assemble.sendable import NOTHING, sendable
from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.model.access import AccessRule
from docgraph.model.context import Context
from docgraph.model.egress import LOWEST, Ceiling
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.made_documents import Held, Part, Said, ask, document, seeds
from tests.support.memory_world import world
from tests.support.stand_ins import CountsLetters, CountsWords

WORDS = CountsWords()
BOARD = AccessRule("local", frozenset({"local"}), frozenset({"board"}), 1)
BOOK = document(
    "r:book.md", "An opening.", parts=(Part("#mills", (Said("Mills grind."), Said("Slowly."))),)
)
MINUTES = document("r:minutes.md", "The mill is sold.")
NOTE = document("r:note.md", "A note.")
SOME = {"r:minutes.md": BOARD}
names = st.frozensets(st.sampled_from(["board", "eu"]))
levels = st.integers(0, 2)
rules = st.builds(
    lambda labels, level: AccessRule("local", frozenset({"local"}), labels, level), names, levels
)
rows = st.lists(st.tuples(st.lists(st.text(max_size=20), max_size=3), rules), max_size=4)


def marks(rule: AccessRule) -> tuple[frozenset[str], int]:
    return rule.labels, rule.level


def page(*documents: Held, rules: dict[str, AccessRule] | None = None) -> Context:
    plan = plan_seeds(ask("why?"), seeds(*(held.id for held in documents)))
    place = world(*documents, rules=rules)
    return assemble_context(fetch_evidence(plan, place.texts(plan)), WORDS)


def drawn(found: list[tuple[list[str], AccessRule]]) -> Context:
    documents = [document(f"r:{n}", *texts) for n, (texts, _) in enumerate(found)]
    return page(*documents, rules={f"r:{n}": rule for n, (_, rule) in enumerate(found)})


@pytest.mark.requirement(33)
@pytest.mark.requirement(47)
def test_an_item_tells_the_labels_and_the_level_of_its_document() -> None:
    told = {item.id: (item.labels, item.level) for item in page(MINUTES, NOTE, rules=SOME).items}
    public: tuple[frozenset[str], int] = (frozenset(), 0)
    assert told == {
        "r:minutes.md": (frozenset({"board"}), 1),
        "r:minutes.md@0": (frozenset({"board"}), 1),
        "r:note.md": public,
        "r:note.md@0": public,
    }


@pytest.mark.requirement(47)
def test_what_is_above_the_ceiling_is_not_on_the_page_and_leaves_no_gap() -> None:
    sent = sendable(page(BOOK, MINUTES, NOTE, rules=SOME), WORDS, LOWEST)
    assert sent.text == (
        "## Documents\n\n"
        "- book.md: Summary of book.md. (r:book.md)\n"
        "- note.md: Summary of note.md. (r:note.md)\n"
        "\n## Evidence\n\n"
        "[1] book.md (r:book.md:1)\nAn opening.\n\n"
        "[2] book.md > mills (r:book.md:2)\nMills grind.\n\n"
        "[3] book.md > mills (r:book.md:3)\nSlowly.\n\n"
        "[4] note.md (r:note.md:1)\nA note.\n"
    )
    assert [item.number for item in sent.items] == [0, 0, 1, 2, 3, 4]
    assert [share.document for share in sent.documents] == ["r:book.md", "r:note.md"]
    reason = "not sent: the endpoint lacks labels board, level 1 is above the endpoint's 0"
    assert [(one.id, one.reason) for one in sent.omitted] == [
        ("r:minutes.md", reason),
        ("r:minutes.md@0", reason),
    ]


@pytest.mark.requirement(47)
@given(rows, st.none() | st.builds(Ceiling, names, levels))
def test_tokens_are_counted_on_what_is_sent(
    found: list[tuple[list[str], AccessRule]], ceiling: Ceiling | None
) -> None:
    sent = sendable(drawn(found), WORDS, ceiling)
    assert sent.tokens == WORDS.count(sent.text) <= sent.max_tokens
    assert sum(share.items for share in sent.documents) == len(sent.items)


@pytest.mark.requirement(47)
@given(rows)
def test_a_context_of_which_everything_may_be_sent_is_sent_as_it_is(
    found: list[tuple[list[str], AccessRule]],
) -> None:
    whole = drawn(found)
    assert sendable(whole, CountsLetters(), None) is whole
    assert sendable(whole, CountsLetters(), Ceiling(frozenset({"board", "eu"}), 2)) is whole


@pytest.mark.requirement(26)
@pytest.mark.requirement(47)
def test_where_nothing_may_be_sent_the_page_is_empty_and_says_so() -> None:
    sent = sendable(page(MINUTES, rules=SOME), WORDS, LOWEST)
    assert (sent.text, sent.tokens, sent.items, sent.documents) == ("", 0, (), ())
    assert sent.reason == NOTHING


@given(rows)
def test_an_items_block_is_the_one_on_its_page(found: list[tuple[list[str], AccessRule]]) -> None:
    whole = drawn(found)
    layers = [[item_block(i) for i in whole.items if i.layer == n] for n in ("concept", "evidence")]
    assert render(*layers) == whole.text


@pytest.mark.requirement(47)
@given(rows, st.builds(Ceiling, names, levels))
def test_the_page_does_not_show_that_something_is_missing(
    found: list[tuple[list[str], AccessRule]], ceiling: Ceiling
) -> None:
    admitted = {f"r:{n}": row for n, row in enumerate(found) if ceiling.admits(*marks(row[1]))}
    alone = page(*(document(node, *texts) for node, (texts, _) in admitted.items()))
    assert sendable(drawn(found), WORDS, ceiling).text == alone.text
