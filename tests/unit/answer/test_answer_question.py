"""answer_question: who is asked, with what, and what becomes of what they say."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from docgraph.answer.answer_question import (
    NO_MODEL,
    NO_QUESTION,
    answer_question,
    is_not_enough,
    sources_are_numbered,
)
from docgraph.answer.prompt import load_prompt
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.answer import Answer, CitationFlag
from docgraph.model.context import Context, ContextItem, Reasons
from docgraph.model.errors import ContextWindowExceeded, ModelError
from docgraph.model.node import Location
from docgraph.ports.models import ChatModelChain, ChatReply, Message, Sampling
from tests.support.contexts import context_of

SECRET = frozenset({"board"})


@dataclass
class Parrot:
    """Replies with a fixed text and records what it was sent. A word is a token."""

    says: str = "Mills grind [1]."
    name: str = "parrot"
    clearance: Clearance | None = UNCLASSIFIED
    context_window: int = 1000
    exact_count: bool = True
    finish: str = "stop"
    sent: list[tuple[Message, ...]] = field(default_factory=list)

    def count(self, text: str) -> int:
        return len(text.split())

    def complete(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> ChatReply:
        self.sent.append(messages)
        for word in self.says.split():
            on_text(word)
        return ChatReply(self.says, self.finish, Sampling(0.0, seed))


def context(*marks: tuple[frozenset[str], int], reason: str = "") -> Context:
    items = tuple(
        ContextItem(
            number=number,
            node=f"r:{number}.md",
            id=f"r:{number}.md@0",
            title=f"Title {number}",
            heading_path=(),
            location=Location(f"{number}.md", number, number + 1, 0, 9),
            text="Mills grind.",
            tokens=2,
            labels=labels,
            level=level,
            why=Reasons("seed", "everyone", "2 tokens"),
        )
        for number, (labels, level) in enumerate(marks, start=1)
    )
    text = "".join(f"[{item.number}] {item.text}\n" for item in items)
    return context_of(*items, question="What grinds?", text=text, reason=reason)


OPEN = (frozenset[str](), 0)


def ask(found: Context, *models: Parrot, max_output: int = 50) -> Answer:
    return answer_question(found, ChatModelChain(models, lambda _: None), max_output=max_output)


@pytest.mark.requirement(45)
def test_sources_are_exactly_the_cited_items() -> None:
    found = ask(context(OPEN, OPEN, OPEN), Parrot("Mills grind [3]. They grind well [1][3]."))
    assert found.kind == "answered"
    assert [(source.number, source.location.cite()) for source in found.sources] == [
        (1, "1.md:1-2"),
        (3, "3.md:3-4"),
    ]
    assert found.flags == ()
    assert sources_are_numbered(found)


@pytest.mark.requirement(45)
def test_an_uncited_sentence_and_a_citation_of_nothing_are_flagged() -> None:
    found = ask(context(OPEN), Parrot("Mills grind [1]. They are red. Or blue [7]. Both [1][8]."))
    assert found.flags == (
        CitationFlag("uncited", "They are red."),
        CitationFlag("no_such_item", "Or blue [7].", 7),
        CitationFlag("uncited", "Or blue [7]."),
        CitationFlag("no_such_item", "Both [1][8].", 8),
    )
    assert [source.number for source in found.sources] == [1]


def test_an_answer_that_reached_its_limit_is_flagged() -> None:
    found = ask(context(OPEN), Parrot("Mills grind [1]. They", finish="length"))
    assert found.flags[-1] == CitationFlag("cut_off", "They", reason="length")
    found = ask(context(OPEN), Parrot("Mills grind [1].", finish="content_filter"))
    assert found.flags == (CitationFlag("cut_off", "Mills grind [1].", reason="content_filter"),)


@pytest.mark.requirement(46)
def test_without_evidence_no_model_is_asked() -> None:
    parrot = Parrot()
    found = ask(context(reason="nothing visible matches"), parrot)
    assert (found.kind, parrot.sent, found.sources) == ("not_enough_evidence", [], ())
    assert "nothing visible matches" in found.reason


@pytest.mark.requirement(46)
@pytest.mark.parametrize(
    "says",
    [
        *("NOT ENOUGH EVIDENCE", "Not enough evidence.", "**NOT ENOUGH EVIDENCE**"),
        *("(NOT ENOUGH EVIDENCE)", "Answer: NOT ENOUGH EVIDENCE."),
    ],
)
def test_a_model_that_finds_no_answer_is_believed(says: str) -> None:
    found = ask(context(OPEN), Parrot(says))
    assert (found.kind, found.sources, found.flags) == ("not_enough_evidence", (), ())
    assert found.generation is not None


def test_an_answer_may_mention_evidence() -> None:
    said = "Not enough evidence of red mills, but blue ones grind [1]. They are tall."
    assert not is_not_enough(said)
    found = ask(context(OPEN), Parrot(said))
    assert (found.kind, len(found.sources), len(found.flags)) == ("answered", 1, 1)


def test_an_empty_reply_is_an_error() -> None:
    """As one that thinks until its tokens are used up."""
    with pytest.raises(ModelError, match="parrot said nothing; it ended with: length"):
        ask(context(OPEN), Parrot("  ", finish="length"))


def test_without_a_question_no_model_is_asked() -> None:
    parrot = Parrot()
    found = ask(replace(context(OPEN), question=""), parrot)
    assert (found.kind, found.reason, parrot.sent) == ("no_model", NO_QUESTION, [])


@pytest.mark.requirement(46)
def test_without_a_model_the_context_with_its_sources_is_the_answer() -> None:
    page = context(OPEN, OPEN)
    found = ask(page)
    assert (found.kind, found.text, found.reason) == ("no_model", page.text, NO_MODEL)
    assert [source.number for source in found.sources] == [1, 2]
    assert found.generation is None


@pytest.mark.requirement(47)
def test_the_first_model_that_may_read_all_of_it_is_asked() -> None:
    low, right = Parrot(name="low"), Parrot(name="right", clearance=Clearance(SECRET, 1))
    found = ask(context(OPEN, (SECRET, 1)), low, right, Parrot(name="here", clearance=None))
    assert found.generation is not None
    assert found.generation.model == "right"
    assert low.sent == []
    assert len(right.sent) == 1


@pytest.mark.requirement(47)
def test_a_refusal_names_the_rule_and_nothing_else() -> None:
    low = Parrot()
    found = ask(context(OPEN, (SECRET, 2)), low, Parrot(clearance=Clearance(SECRET, 1)))
    assert found.kind == "refused"
    assert found.reason == (
        "not sent to any model: the endpoint lacks labels board, level 2 is above the endpoint's "
        "0; level 2 is above the endpoint's 1"
    )
    assert (found.text, found.sources, low.sent) == ("", (), [])


def test_what_does_not_fit_is_not_sent() -> None:
    small = Parrot(context_window=100)
    with pytest.raises(
        ContextWindowExceeded, match=r"takes \d+ tokens and the answer up to 90; parrot reads 100"
    ):
        ask(context(OPEN), small, max_output=90)
    assert small.sent == []


def test_the_next_model_is_asked_if_the_context_window_of_the_first_is_too_small() -> None:
    small, large = Parrot(name="small", context_window=100), Parrot(name="large")
    found = ask(context(OPEN), small, large, max_output=90)
    assert found.generation is not None
    assert (found.generation.model, small.sent) == ("large", [])


def test_the_text_is_streamed_to_the_callback() -> None:
    texts: list[str] = []
    answer_question(context(OPEN), ChatModelChain((Parrot("Mills grind [1]."),), texts.append))
    assert texts == ["Mills", "grind", "[1]."]


def test_the_request_is_recorded_in_the_answer() -> None:
    page = context(OPEN)
    asking = ask(page, Parrot()).generation
    assert asking is not None
    prompt = load_prompt("cited-1")
    assert (asking.prompt, asking.prompt_digest) == ("cited-1", prompt.digest)
    assert asking.context_digest == page.digest
    assert (asking.temperature, asking.seed, asking.counted) == (0.0, 0, "exact")


def test_a_prompt_is_filled_in_one_pass() -> None:
    system, user = load_prompt("cited-1").format("a {question} b", "What of {context}?")
    assert "a {question} b" in user.content
    assert "What of {context}?" in user.content
    assert (system.role, user.role) == ("system", "user")


def test_a_prompt_never_changes_under_its_name() -> None:
    """Another wording is another version: receipts name this digest."""
    known = "fbeaa98479153dffd7fdd27e6e98093f987d33bcb035f73beae9a4a3283bb6fb"
    assert load_prompt("cited-1").digest == known
