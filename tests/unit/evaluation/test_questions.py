"""Long texts as questions: which part of them is asked."""

import pytest

from docgraph.evaluation.questions import truncate_question
from docgraph.pipeline.request import MAX_QUESTION_CHARACTERS, validate_question

LIMIT = MAX_QUESTION_CHARACTERS


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a" * LIMIT, LIMIT),
        ("a" * (LIMIT - 4) + " bcd", LIMIT),
        ("a" * (LIMIT - 4) + " bcd e", LIMIT),
        ("a" * (LIMIT - 4) + " bcde", LIMIT - 4),
        ("a" * (LIMIT - 1) + "\n\tb", LIMIT - 1),
        ("a" * (LIMIT + 1), LIMIT),
        ("a " + "b" * LIMIT, LIMIT),
        ("\N{CJK UNIFIED IDEOGRAPH-65E5}" * (LIMIT + 1), LIMIT),
    ],
)
def test_a_long_text_is_truncated_before_its_first_incomplete_word(text: str, kept: int) -> None:
    asked = truncate_question(text)
    assert asked == text[:kept]
    assert validate_question(asked, ()) == asked
