"""Any text is a valid pipeline, or is refused with its line."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.errors import BadPipeline
from docgraph.pipeline.load import MAX_BYTES, load_text, parse_lines, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline
from docgraph.yaml_lines import Line
from tests.fuzz.mutations import mutated_texts

SHIPPED = [path.read_text() for path in shipped_pipelines().values()]
EXTENDING = """pipeline: mine
extends: documents
change:
  search_nodes: {top: 4}
without: [select_scope]
"""
WORDS = (
    *("pipeline:", "extends:", "steps:", "change:", "without:", "- ", ": ", "{", "}", "[", "]"),
    *("\n", "\n  ", "\t", "#", "'", '"', "|", ">", "---\n", "...\n", "%YAML 1.1\n", "? ", ", "),
    *("&a ", "*a", "<<: *a", "!!python/object:os.system ", "!!binary ", "!x ", "{" * 40, "[" * 40),
    *("search_nodes", "select_scope", "expand_relationships", "fetch_evidence", "fetch_node_texts"),
    *("assemble_context", "answer_question", "expand_dependency_tree", "mode", "top", "max_tokens"),
    *("0x10", "1e999", ".nan", "2026-01-01", "1:30", "~", "yes", "\\ud800", '"\\ud800"', "010"),
)
texts = (
    mutated_texts([*SHIPPED, EXTENDING], WORDS)
    | st.lists(st.sampled_from(WORDS), max_size=30).map("".join)
    | st.text()
)


REFUSAL = re.compile(r"[\w-]+(\.yaml)?(:\d+)?: ")


def load_or_refuse(text: str) -> Pipeline | str:
    try:
        return load_text(text, shipped_pipelines())
    except BadPipeline as error:
        return str(error)


@given(texts)
def test_a_pipeline_or_a_refusal(text: str) -> None:
    found = load_or_refuse(text)
    assert found == load_or_refuse(text)
    assert REFUSAL.match(found) if isinstance(found, str) else found.steps


def read(data: bytes) -> dict[str, Line] | str:
    try:
        return parse_lines("x.yaml", data)
    except BadPipeline as error:
        return str(error)


@given(st.binary() | texts.map(lambda text: text.encode("utf-16", "surrogatepass")))
def test_bytes_of_any_kind(data: bytes) -> None:
    found = read(data)
    assert isinstance(found, dict) or found.startswith("x.yaml:")


BOMBS = {
    "laughs": "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(30)),
    "deep lists": "pipeline: " + "[" * 8_000,
    "deep maps": "pipeline: " + "{a: " * 2_000,
    "deep blocks": "".join(" " * n + "a:\n" for n in range(120)),
    "one long key": "pipeline: x\n" + "k" * 8_000 + ": 1\n",
    "many keys": "pipeline: x\n" + "".join(f"k{n}: 1\n" for n in range(700)),
    "many steps": "pipeline: x\nsteps:\n" + "- search_nodes\n" * 500,
    "an object": "pipeline: !!python/object/apply:os.system ['id']\n",
    "too long": "#" * (MAX_BYTES + 1),
    "a number of many digits": "pipeline: x\nsteps: [{search_nodes: {top: " + "9" * 8_000 + "}}]",
    "sixty to the many": "pipeline: x\nsteps: [{search_nodes: {top: 1" + ":0" * 4_000 + "}}]",
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_does_not_go_off(bomb: str) -> None:
    found = load_or_refuse(bomb)
    assert isinstance(found, str) or len(found.steps) == 500
