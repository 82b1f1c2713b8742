"""A tokenizer encodes a text as its model expects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.onnx.granite import granite_tokenizer
from docgraph.adapters.onnx.granite_pack import find_pack, read_tokenizer
from docgraph.adapters.onnx.tokenizer import load_tokenizer, tokens
from docgraph.model.errors import ModelError

MAX_TOKENS = 7
LIBRARY_TOKENIZER = load_tokenizer("library", read_tokenizer(find_pack()).decode())
LIBRARY_TOKENIZER.enable_truncation(MAX_TOKENS)


def test_an_unreadable_tokenizer_is_named() -> None:
    with pytest.raises(ModelError, match="mine: the tokenizer cannot be read"):
        load_tokenizer("mine", "{}")


def test_half_a_surrogate_pair_is_read_as_a_question_mark() -> None:
    granite = granite_tokenizer(find_pack())
    assert tokens(granite, "a \ud83d b", MAX_TOKENS) == tokens(granite, "a ? b", MAX_TOKENS)


def test_a_tokenizer_is_parsed_once() -> None:
    assert granite_tokenizer(find_pack()) is granite_tokenizer(find_pack())


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_long_text_is_truncated_as_by_the_library(text: str) -> None:
    ours = tokens(granite_tokenizer(find_pack()), text, MAX_TOKENS)
    assert ours == LIBRARY_TOKENIZER.encode(text).ids
    assert len(ours) <= MAX_TOKENS
