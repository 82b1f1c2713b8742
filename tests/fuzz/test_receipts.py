"""A receipt from outside is replayed within its reader's rights, or refused with a message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.interfaces.auth.principals import local
from docgraph.model.errors import BadInput, DocgraphError
from docgraph.pipeline.receipt import receipt_from_json
from docgraph.pipeline.receipt_check import find_receipt_problems
from tests.fuzz.mutations import mutated_texts, mutated_trees, trees
from tests.fuzz.secret_store import SECRET, receipt_text, secret_store
from tests.fuzz.test_plans import DEEP

near = st.deferred(lambda: mutated_trees(json.loads(receipt_text()))).map(json.dumps)
bytes_of = st.deferred(lambda: mutated_texts([receipt_text()], ("{", "}", "[", ",", '"', "1e400")))


def replay_or_refuse(text: str | bytes, *, sealed: bool = False) -> str:
    """Everything that its reader gets, in words."""
    try:
        receipt = receipt_from_json(text)
    except BadInput as error:
        return str(error)
    if sealed:
        receipt = receipt.with_digest()
    message = " ".join(find_receipt_problems(receipt))
    try:
        return f"{message} {secret_store().questions.replay(local(), receipt)!r}"
    except DocgraphError as error:
        return f"{message} {error}"


@given(near | bytes_of | trees.map(json.dumps) | st.text() | st.binary())
def test_a_receipt_is_replayed_or_refused(text: str | bytes) -> None:
    assert SECRET not in replay_or_refuse(text)


@given(near)
def test_a_forged_receipt_with_a_true_seal_gains_nothing(text: str) -> None:
    assert SECRET not in replay_or_refuse(text, sealed=True)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_depth_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        receipt_from_json(text)
