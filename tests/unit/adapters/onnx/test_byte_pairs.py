"""Texts are split in Python into the tokens that the library finds."""

import json
import subprocess
import sys
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docgraph.adapters.onnx.byte_pairs import has_parts
from docgraph.adapters.onnx.granite import (
    FIRST_CHARACTERS,
    GraniteEncoder,
    granite_byte_pairs,
    granite_tokenizer,
)
from docgraph.adapters.onnx.granite_pack import find_pack, read_tokenizer
from docgraph.adapters.onnx.tokenizer import tokens

PAIRS = granite_byte_pairs(find_pack())
LIBRARY = granite_tokenizer(find_pack())
MODEL = json.loads(read_tokenizer(find_pack()))["model"]
MAX_TOKENS = 512
ENGLISH = "How often are payments retried, and who's asked? See `retry()` in billing/jobs.py. "
KNOWN = [chr(code) for code in range(1 << 16) if has_parts(chr(code))]
FRESH = """
import sys
from docgraph.adapters.onnx.granite import GraniteEncoder, GraniteTokenCounter
from docgraph.adapters.onnx.granite_pack import find_pack
GraniteEncoder(find_pack())("How often are payments retried, naïvely — or not?", 512)
GraniteTokenCounter().count("Payments are retried → three times; see § 2 of <Billing>.")
print("tokenizers" in sys.modules)
GraniteTokenCounter().count("a \U0001f642")
print("tokenizers" in sys.modules)
"""


def library_ids(text: str) -> list[int]:
    ids: list[int] = LIBRARY.encode(text, add_special_tokens=False).ids
    return ids


def test_common_scripts_and_signs_are_known_and_spaces_beyond_ascii_are_not() -> None:
    assert {*"aZ9_é²ßΩЖ日한—…→€│✓。"} <= {*KNOWN}
    assert not {*"\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000\ufeff"} & {*KNOWN}


@pytest.mark.parametrize("form", ["a{0}1 {0}{0}", " {0}-x"])
def test_every_known_character_is_split_as_by_the_library(form: str) -> None:
    """Also where the tables of Unicode of another Python would put it into another class."""
    for character in KNOWN:
        text = form.format(character)
        assert PAIRS.ids(text) == library_ids(text), repr(text)


@given(st.text(alphabet=st.sampled_from((*KNOWN[:600], *KNOWN[::97], *" \n\t'"))))
@example("don't  'tis   I'd\t've \n ")
@example("<mas> < s> </ s> x<y")
def test_texts_of_known_characters_are_split_as_by_the_library(text: str) -> None:
    if has_parts(text):
        assert PAIRS.ids(text) == library_ids(text)


@pytest.mark.parametrize("text", ["<s>", "a</s>", " <mask>", "<pad><unk>", "a\U0001f642"])
def test_special_tokens_and_unknown_characters_are_left_to_the_library(text: str) -> None:
    assert not has_parts(text)


def test_tokens_are_found_by_their_whole_name() -> None:
    """The vocabulary is searched as text; names hold quotes, commas, colons and braces too."""
    marks = [name for name in MODEL["vocab"] if set(name) & {*'",:{}\\'}]
    for name in (*marks, *islice(MODEL["vocab"], 0, None, 50)):
        assert PAIRS.id_of(name) == MODEL["vocab"][name], name


@pytest.mark.parametrize("text", ["", " ", ENGLISH, "Zürich", "a" * 700, "é " * 600])
@pytest.mark.parametrize("longest", [512, 16, 2])
def test_a_question_has_the_tokens_that_the_library_gives(text: str, longest: int) -> None:
    encode = GraniteEncoder(find_pack())
    assert encode(text, longest) == tokens(LIBRARY, text, longest)


def test_later_texts_are_split_by_the_library_into_the_same_tokens() -> None:
    encode = GraniteEncoder(find_pack())
    for _ in range(2 * FIRST_CHARACTERS // len(ENGLISH)):
        assert encode(ENGLISH, MAX_TOKENS) == tokens(LIBRARY, ENGLISH, MAX_TOKENS)


def test_the_library_is_loaded_for_unknown_characters_alone() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\nTrue\n", "")
