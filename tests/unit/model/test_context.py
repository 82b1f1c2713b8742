"""The context as a value."""

from dataclasses import replace

from docgraph.model.context import Context

EMPTY = Context("why?", "", 0, 100, "words", (), (), "nothing visible matches")


def test_a_context_has_a_digest_of_everything_in_it() -> None:
    assert EMPTY.digest == replace(EMPTY).digest
    assert EMPTY.digest != replace(EMPTY, reason="nothing fits").digest
    assert EMPTY.digest != replace(EMPTY, max_tokens=101).digest
