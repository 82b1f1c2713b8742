"""A plan as a file, and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.digest import canonical, plain
from docgraph.model.errors import BadPlan
from docgraph.model.plan import Constraints, Cut, Expansion, RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.seeds import Selection
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.retrieval import FORMAT, MAX_PLANNED_NODES, SavedPlan, plan_from_json
from docgraph.plan.expand_relationships import expand_relationships
from tests.support.memory_world import world
from tests.support.sample_documents import ask, document, edge, seeds

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ids = st.lists(words, unique=True, max_size=6)
settings_ = st.lists(
    st.tuples(
        words,
        words
        | st.booleans()
        | st.none()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False),
    ),
    max_size=4,
).map(tuple)


@st.composite
def plans(draw: st.DrawFn) -> RetrievalPlan:
    named = draw(ids)
    split = draw(st.integers(0, len(named)))
    numbers = [*draw(st.lists(st.integers(-4080, 4080), min_size=1, max_size=1)), 0, 0]
    some = st.none() | st.integers(0, 9)
    return RetrievalPlan(
        question=draw(words),
        query_vector=tuple(numbers),
        embedder=EmbedderIdentity(draw(words), draw(words), 3),
        seed_documents=tuple(named[:split]),
        expanded_documents=tuple(
            Expansion(node, draw(words), draw(words), draw(words), 1, draw(st.booleans()))
            for node in named[split:]
        ),
        order=tuple(draw(st.permutations(named))),
        constraints=Constraints(
            search=draw(settings_),
            selection=Selection(draw(words), draw(words), tuple(draw(ids))),
            traversal_enabled=draw(st.booleans()),
            max_relationship_depth=draw(st.integers(0, 5)),
            direction=draw(words),
            relations=draw(st.none() | ids.map(tuple)),
            max_documents=draw(some),
            max_seed_documents=draw(some),
            max_nodes=draw(some),
            admit=draw(words),
            exact=draw(st.booleans()),
        ),
        cut=tuple(Cut(node, draw(words)) for node in draw(ids)),
    )


def saved(plan: RetrievalPlan) -> SavedPlan:
    return SavedPlan(FORMAT, plan, plan.digest, (SnapshotName("r", "main", 3),), "documents")


PLACE = world(
    document("r:a", "the secret text"), document("r:b", "b"), edges=[edge("r:a", "r:b", "explains")]
)
PLAN = expand_relationships(ask("why?"), seeds("r:a"), PLACE.graph, PLACE.search)
SAVED = saved(PLAN)


def edited(**changes: Any) -> str:
    """The saved plan with some keys of the plan itself written otherwise."""
    written = plain(SAVED)
    written["plan"].update(changes)
    return json.dumps(written)


def refused(text: str | bytes) -> str:
    with pytest.raises(BadPlan) as error:
        plan_from_json(text)
    return str(error.value)


@pytest.mark.requirement(23)
@given(plans())
def test_json_and_back_is_equal(plan: RetrievalPlan) -> None:
    back = plan_from_json(saved(plan).to_json())
    assert back == saved(plan)
    assert canonical(back.plan) == canonical(plan)
    assert back.plan.digest == plan.digest
    assert not back.edited


@pytest.mark.requirement(23)
@given(plans())
def test_the_same_plan_is_the_same_file(plan: RetrievalPlan) -> None:
    text = saved(plan).to_json()
    assert plan_from_json(text.encode()).to_json() == text


@pytest.mark.requirement(23)
def test_a_saved_plan_holds_no_scores_and_no_documents_text() -> None:
    text = SAVED.to_json()
    assert "score" not in text
    assert "similarity" not in json.dumps({**plain(PLAN), "constraints": None})
    assert "secret" not in text
    assert "Summary" not in text
    assert not [value for value in _leaves(plain(SAVED)) if isinstance(value, float)]


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [value]


@pytest.mark.requirement(23)
def test_the_snapshot_stands_beside_the_plan_outside_its_digest() -> None:
    later = SavedPlan(FORMAT, PLAN, PLAN.digest, (SnapshotName("r", "main", 4),), "documents")
    assert plan_from_json(later.to_json()).digest == SAVED.digest


def test_an_edited_plan_is_known_as_one() -> None:
    assert plan_from_json(edited(question="something else")).edited


@pytest.mark.requirement(27)
@pytest.mark.parametrize(
    "changes",
    [
        {"order": ["r:a", "r:b", "r:c"]},
        {"order": ["r:a"]},
        {"order": ["r:a", "r:a"]},
        {"seed_documents": ["r:a", "r:b"], "order": ["r:a", "r:b", "r:b"]},
    ],
)
def test_an_order_of_other_nodes_than_the_plans_own_is_refused(changes: dict[str, Any]) -> None:
    assert refused(edited(**changes)) == (
        "the plan's order does not name its seeds and expanded documents once each"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"query_vector": [1, 2]}, "the query vector has 2 numbers, its embedder 3"),
        ({"query_vector": [4080, 4080, 0]}, "longer than any unit vector"),
        ({"query_vector": [10**9, 0, 0]}, "longer than any unit vector"),
        ({"query_vector": [1.5, 0, 0]}, "plan.query_vector.0: Input should be a valid integer"),
        ({"question": None}, "plan.question: Input should be a valid string"),
        ({"extra": 1}, "its keys are not exactly those of a saved plan"),
        ({"cut": [{"document_id": "r:x"}]}, "plan.cut.0.limit: Field required"),
    ],
)
def test_a_plan_edited_into_nonsense_is_refused(changes: dict[str, Any], message: str) -> None:
    assert message in refused(edited(**changes))


@pytest.mark.requirement(24)
def test_a_plan_without_a_question_has_no_vector() -> None:
    assert plan_from_json(edited(question="", query_vector=[])).plan.query_vector == ()


@pytest.mark.parametrize("word", ["NaN", "Infinity", "1e999"])
def test_a_number_that_json_does_not_know_is_refused(word: str) -> None:
    text = edited().replace('"test"', word)
    assert word in text
    assert refused(text).startswith("not a saved plan: ")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '"plan"', "[" * 100_000, b"\xff\xfe{}", '{"format": "\\ud800"}'],
)
def test_what_is_no_plan_is_refused(text: str | bytes) -> None:
    assert refused(text).startswith("not a saved plan: ")


def test_a_key_that_is_missing_is_refused_even_where_it_has_a_default() -> None:
    written = plain(SAVED)
    del written["plan"]["expanded_documents"][0]["backwards"]
    assert "keys are not exactly" in refused(json.dumps(written))


def test_a_plan_of_another_format_is_refused_with_the_expected_one() -> None:
    written = {**plain(SAVED), "format": "docgraph.plan/3"}
    assert refused(json.dumps(written)) == (
        "this saved plan has the format 'docgraph.plan/3'; this docgraph reads "
        "'docgraph.plan/2': make the plan again"
    )
    other = refused(json.dumps({**plain(SAVED), "format": "docgraph.receipt/2"}))
    assert other == "not a saved plan: format: Input should be 'docgraph.plan/2'"


def test_the_source_of_an_edge_is_called_from() -> None:
    (expansion, *_) = plain(SAVED)["plan"]["expanded_documents"]
    assert list(expansion) == ["document_id", "via", "from", "target", "depth", "backwards"]
    renamed = SAVED.to_json().replace('"from"', '"source"')
    assert "expanded_documents.0.from: Field required" in refused(renamed)


def test_the_longest_vector_that_rounding_can_make_is_exact() -> None:
    assert plan_from_json(edited(query_vector=[4096, 0, 0])).plan.query_vector[0] == 4096
    assert "longer than any unit vector" in refused(edited(query_vector=[4096, 1, 0]))


def test_a_plan_too_large_to_be_one_is_refused() -> None:
    assert "at most 16777216 bytes" in refused(" " * (16 * 1024 * 1024 + 1))
    many = [f"r:{n}" for n in range(MAX_PLANNED_NODES + 1)]
    most = edited(seed_documents=many[1:], expanded_documents=[], order=many[1:])
    assert len(plan_from_json(most).plan.order) == MAX_PLANNED_NODES
    message = refused(edited(seed_documents=many, expanded_documents=[], order=many))
    assert (
        message
        == f"a plan holds at most {MAX_PLANNED_NODES} nodes, this one {MAX_PLANNED_NODES + 1}"
    )
