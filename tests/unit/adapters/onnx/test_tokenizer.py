"""Counting tokens with the granite tokenizer."""

import subprocess
import sys

import pytest

from docgraph.adapters.onnx.tokenizer import GraniteTokenCounter, load_tokenizer
from docgraph.model.errors import ModelError
from docgraph.model.tokens import TokenCounter

FORKS = """
import os, sys
from docgraph.adapters.onnx.tokenizer import GraniteTokenCounter
counter = GraniteTokenCounter()
counter.count("before the fork")
child = os.fork()
if child == 0:
    counter.count("after the fork")
    os._exit(0)
os.waitpid(child, 0)
print(sorted({"onnx", "onnxruntime"} & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return GraniteTokenCounter()


def test_the_counter_is_named_after_its_model(counter: TokenCounter) -> None:
    assert counter.name == "granite-embedding-30m-english"


def test_special_tokens_are_not_counted(counter: TokenCounter) -> None:
    assert counter.count("") == 0
    assert counter.count("hello world") == 2


def test_a_long_text_is_counted_whole(counter: TokenCounter) -> None:
    assert counter.count("hello world" + " hello world" * 4999) == 10_000


def test_half_a_surrogate_pair_counts_as_a_question_mark(counter: TokenCounter) -> None:
    assert counter.count("a \ud83d b") == counter.count("a ? b")


def test_counting_loads_no_model_and_survives_a_fork_in_silence() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_an_unreadable_tokenizer_is_named() -> None:
    with pytest.raises(ModelError, match="mine: the tokenizer cannot be read"):
        load_tokenizer("mine", "{}")
