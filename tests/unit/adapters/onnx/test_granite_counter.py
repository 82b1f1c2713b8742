"""The granite token counter counts as the tokenizer does, with a cache."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from docgraph.adapters.onnx.granite import GraniteTokenCounter, granite_tokenizer
from docgraph.adapters.onnx.granite_pack import find_pack
from docgraph.adapters.onnx.tokenizer import readable

ROOT = Path(__file__).parents[4]
FILES = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/docgraph/**/*.py")])
FORKS = """
import os, sys
from docgraph.adapters.onnx.granite import GraniteTokenCounter
counter = GraniteTokenCounter()
counter.count("before the fork — and <s> this")
child = os.fork()
if child == 0:
    counter.count("after the fork")
    os._exit(0)
os.waitpid(child, 0)
print(sorted({"onnx", "onnxruntime"} & set(sys.modules)))
"""
ASCII = st.text(alphabet=st.characters(max_codepoint=127))
ANY = st.text(alphabet=st.characters())  # surrogates too
SPACES = st.text(alphabet=" \t\n\v\f\r\x1c\x1f\x85\u00a0\u2003\u2028\u3000\u200b\ufeff")
SPECIAL = ("<s>", "</s>", "<pad>", "<unk>", "<mask>", "<mas", "<", "/")
WORDS = ("it's", "'ll", "''re", "I'VE", "'", "x_1", "é", "日本", "🙂", "²", "—", "\ud83d", "\x7f")
DIFFICULT = st.sampled_from((*SPECIAL, *WORDS, "\r\n", "\n\n", "    ", "\x00"))
MIXED = st.lists(DIFFICULT | SPACES | ASCII | ANY, max_size=12).map("".join)

counter = GraniteTokenCounter()  # shared: cached counts must not change results


def tokenizer_count(text: str) -> int:
    encoding = granite_tokenizer(find_pack()).encode(readable(text), add_special_tokens=False)
    return len(encoding.ids)


@given(MIXED)
@example("a\u00a0\nb \u3000 \n c")
@example("a \n<mask>\n <s>b")
@example("don't  'tis   I'd\t've")
def test_counts_equal_the_tokenizers(text: str) -> None:
    assert counter.count(text) == tokenizer_count(text)


@given(ASCII)
def test_counts_of_ascii_equal_the_tokenizers(text: str) -> None:
    assert counter.count(text) == tokenizer_count(text)


def test_every_pair_of_ascii_characters_is_counted_as_the_tokenizer_does() -> None:
    for one in range(128):
        for other in range(128):
            text = f"{chr(one)}{chr(other)}"
            assert counter.count(text) == tokenizer_count(text), repr(text)


def test_a_word_ends_before_a_space() -> None:
    split = granite_tokenizer(find_pack()).pre_tokenizer.pre_tokenize_str
    for plane in (0, 1 << 16, 2 << 16):  # later planes have no spaces
        ends = (chr(code) for code in range(plane, plane + (1 << 16)))
        text = "\n".join(end for end in ends if not end.isspace() and end == readable(end))
        assert {part for part, _ in split(text) if "Ċ" in part} <= {"Ċ"}


def test_this_repositorys_files_are_counted_as_the_tokenizer_does() -> None:
    for path in FILES:
        text = path.read_text("utf-8")
        assert counter.count(text) == tokenizer_count(text), path


def test_threads_count_the_same() -> None:
    texts = [path.read_text("utf-8")[:4000] for path in FILES[:40]]
    fresh = GraniteTokenCounter()
    with ThreadPoolExecutor(8) as pool:
        assert (
            list(pool.map(fresh.count, texts * 3)) == [tokenizer_count(text) for text in texts] * 3
        )


def test_a_count_does_not_depend_on_what_was_counted_before() -> None:
    text = FILES[0].read_text("utf-8")
    assert GraniteTokenCounter().count(text) == counter.count(text) == counter.count(text)


def test_the_counter_is_named_after_its_model() -> None:
    assert counter.name == "granite-embedding-30m-english"


def test_special_tokens_are_not_counted() -> None:
    assert counter.count("") == 0
    assert counter.count("hello world") == 2


def test_a_long_text_is_counted_whole() -> None:
    assert counter.count("hello world" + " hello world" * 4999) == 10_000


def test_half_a_surrogate_pair_counts_as_a_question_mark() -> None:
    assert counter.count("a \ud83d b") == counter.count("a ? b")


def test_counting_loads_no_model_and_survives_a_fork() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
