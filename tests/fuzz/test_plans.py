"""A plan from outside is executed within its reader's rights, or refused with a message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.interfaces.auth.principals import local
from docgraph.model.errors import BadPlan, DocgraphError
from docgraph.pipeline.load import load
from docgraph.pipeline.retrieval import SavedPlan, plan_from_json
from tests.fuzz.mutations import HOSTILE, mutated_texts, mutated_trees, trees
from tests.fuzz.secret_store import SECRET, plan_text, secret_store

near = st.deferred(lambda: mutated_trees(json.loads(plan_text()))).map(json.dumps)
bytes_of = st.deferred(lambda: mutated_texts([plan_text()], ("{", "}", "[", ",", '"', "1e400")))
DEEP = {"lists": "[" * 100_000, "objects": '{"a":' * 100_000, "closed": "[" * 9_000 + "]" * 9_000}


def execute_or_refuse(text: str | bytes) -> list[str]:
    """Everything that its reader gets, in words."""
    try:
        saved = plan_from_json(text)
    except BadPlan as error:
        return [str(error)]
    assert plan_from_json(saved.to_json()) == saved
    return [words_of(saved, pipeline) for pipeline in ("documents", "code")]


def words_of(saved: SavedPlan, pipeline: str) -> str:
    try:
        context = secret_store().questions.execute(local(), saved, load(pipeline)).context
    except DocgraphError as error:
        return str(error)
    assert {item.document_id for item in context.items} <= {"r:a.md", "r:b.md"}
    return repr(context)


@given(near | bytes_of | trees.map(json.dumps) | st.text() | st.binary())
def test_a_plan_is_obeyed_or_refused(text: str | bytes) -> None:
    assert all(words and SECRET not in words for words in execute_or_refuse(text))


@given(st.permutations(["r:a.md", "r:h.md", "r:a.md#s0", "r:none.md"]), st.sampled_from(HOSTILE))
def test_a_plan_that_names_what_is_hidden_tells_nothing_of_it(order: list[str], odd: str) -> None:
    named = list(dict.fromkeys([*order, odd]))
    tree = json.loads(plan_text())
    tree["plan"] |= {"seed_documents": named, "expanded_documents": [], "order": named}
    given = execute_or_refuse(json.dumps(tree))
    assert len(given) == 2
    assert all("apples are red" in words and SECRET not in words for words in given)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_depth_is_refused(text: str) -> None:
    with pytest.raises(BadPlan):
        plan_from_json(text)
