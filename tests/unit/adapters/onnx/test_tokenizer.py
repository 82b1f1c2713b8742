"""A tokenizer reads a text as its model wants it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.onnx.granite import granite_tokenizer
from docgraph.adapters.onnx.granite_pack import find_pack, read_tokenizer
from docgraph.adapters.onnx.tokenizer import load_tokenizer, tokens
from docgraph.model.errors import ModelError

LONGEST = 7
THEIRS = load_tokenizer("theirs", read_tokenizer(find_pack()))
THEIRS.enable_truncation(LONGEST)


def test_an_unreadable_tokenizer_is_named() -> None:
    with pytest.raises(ModelError, match="mine: the tokenizer cannot be read"):
        load_tokenizer("mine", "{}")


def test_half_a_surrogate_pair_is_read_as_a_question_mark() -> None:
    granite = granite_tokenizer(find_pack())
    assert tokens(granite, "a \ud83d b", LONGEST) == tokens(granite, "a ? b", LONGEST)


def test_a_tokenizer_is_parsed_once() -> None:
    assert granite_tokenizer(find_pack()) is granite_tokenizer(find_pack())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_long_text_is_truncated_as_by_the_library(text: str) -> None:
    ours = tokens(granite_tokenizer(find_pack()), text, LONGEST)
    assert ours == THEIRS.encode(text).ids
    assert len(ours) <= LONGEST
