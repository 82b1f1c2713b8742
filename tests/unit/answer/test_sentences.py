"""Sentences of an answer, and what each of them cites."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.answer.sentences import cited_numbers, split_sentences

words = st.text(alphabet="abcdefg ", min_size=1).map(str.strip).filter(bool)


def texts_and_citations(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(sentence.text, sentence.cites) for sentence in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("So it is [1].", (1,)),
        ("So it is [2][1].", (2, 1)),
        ("So it is [1, 3; 2].", (1, 3, 2)),
        ("So it is [1-3] and [2].", (1, 2, 3)),
        ("So it is [4\u20135].", (4, 5)),
        ("So it is [9-1].", (9, 1)),
        ("So it is[1].", (1,)),
        ("So `rows[1]` is [2].", (2,)),
        ("Nothing [here] is [cited](x) [1a].", ()),
        ("items[0] is no item of a context", ()),
        ("So it is [1, 2 and 3].", (1, 2, 3)),
        ("So it is [^4].", (4,)),
        ("So it is \u30105\u2020source\u3011.", (5,)),
    ],
)
def test_a_citation_is_a_number_in_square_brackets(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


def test_citations_after_a_full_stop_belong_to_the_sentence_before() -> None:
    text = "Uploads are tried five times. [1] Then they fail.[2][3] That is all."
    assert texts_and_citations(text) == [
        ("Uploads are tried five times. [1]", (1,)),
        ("Then they fail.[2][3]", (2, 3)),
        ("That is all.", ()),
    ]


def test_what_is_short_for_something_ends_no_sentence() -> None:
    assert texts_and_citations("Some, e.g. uploads, fail [1]. See Fig. 2 [2].") == [
        ("Some, e.g. uploads, fail [1].", (1,)),
        ("See Fig. 2 [2].", (2,)),
    ]


def test_every_point_of_a_list_is_a_sentence() -> None:
    assert texts_and_citations("- one [1]\n* two\n3. three [2]\n> four") == [
        ("one [1]", (1,)),
        ("two", ()),
        ("three [2]", (2,)),
        ("four", ()),
    ]


@pytest.mark.parametrize(
    "line",
    [
        *("## What it does", "It does three things:", "---", "**:**", "[3]", "**Summary**"),
        *("**Steps:**", "| a | b |\n|---|---|", "<think>Mills? Perhaps.</think>", "***"),
    ],
)
def test_an_introduction_needs_no_citation(line: str) -> None:
    assert not any(sentence.needs_citation for sentence in split_sentences(line))


@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("Paris is in Spain. The moon is cheese. For example:", 2),
        ("# The password is hunter2.", 1),
        ("The answer is No. The limit is 5 [1].", 1),
        ("It deletes A, B, etc. It also deletes your data [1].", 1),
        ("It deletes A, B, etc. and more [1]. See No. 5 [2].", 0),
        ("The U.S. and Acme Inc. agree [1]. So does J. S. Mill [2].", 0),
        ("A line that is wrapped\nat eighty columns [1].", 0),
        ("[1] It is 5. [2] It is 6.", 0),
        ("| mill | 5 [1] |\n| road | 6 |", 1),
        ("1. one\n   goes on [1]\n2. two", 1),
    ],
)
def test_a_statement_needs_a_citation(text: str, uncited: int) -> None:
    found = split_sentences(text)
    assert sum(one.needs_citation and not one.cites for one in found) == uncited, found


def test_code_is_no_sentence() -> None:
    text = "Call it [1]:\n```python\nx = rows[7]. Now.\n```\nDone [2]."
    assert texts_and_citations(text) == [("Call it [1]:", (1,)), ("Done [2].", (2,))]
    assert texts_and_citations("It ends [1].\n```\nnever closed [2]") == [("It ends [1].", (1,))]
    assert texts_and_citations("- So [1]:\n  ~~~~py\n  x = 1. y\n  ~~~\n  ~~~~\n- Done [2]") == [
        ("So [1]:", (1,)),
        ("Done [2]", (2,)),
    ]


def test_other_scripts_end_sentences_too() -> None:
    assert texts_and_citations("\u672c\u3067\u3059\u3002[1] \u6b21\u3002") == [
        ("\u672c\u3067\u3059\u3002[1]", (1,)),
        ("\u6b21\u3002", ()),
    ]


@given(st.lists(st.tuples(words, st.integers(1, 99)), max_size=6))
def test_joined_sentences_are_split_as_they_were_joined(
    said: list[tuple[str, int]],
) -> None:
    text = " ".join(f"Thing {word} [{number}]." for word, number in said)
    assert texts_and_citations(text) == [
        (f"Thing {word} [{number}].", (number,)) for word, number in said
    ]


@given(st.text(alphabet="ab .!?[]0123456789,-`\n#*:", max_size=80))
def test_any_text_is_split_without_losing_a_citation(text: str) -> None:
    """Outside code, which a backtick may begin."""
    found = split_sentences(text)
    if "`" not in text:
        assert {n for one in found for n in one.cites} >= {
            n for line in text.splitlines() for n in cited_numbers(line.strip())
        }
