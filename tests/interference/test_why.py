"""Explanations do not depend on what a reader may not see."""

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL
from docgraph.model.digest import canonical
from docgraph.model.errors import DocgraphError
from docgraph.pipeline.request import QuestionRequest
from tests.interference.probes import PIPELINES, QUESTIONS
from tests.interference.stores import MachineStore, small_limits
from tests.interference.views import BranchContent, BranchName
from tests.interference.worlds import HIDDEN, PATHS, VISIBLE, files, nodes_of

MAIN_BRANCH = BranchName(LOCAL, "r", "main")


@pytest.fixture
def store() -> Iterator[MachineStore]:
    store = MachineStore()
    yield store
    store.close()


def explain(engine: Engine, node: str, question: str, pipeline: int) -> bytes:
    """A refusal is an answer too."""
    try:
        found: object = engine.questions.why(
            QuestionRequest(local(), PIPELINES[pipeline], question), node
        )
    except DocgraphError as error:
        found = (type(error).__name__, str(error))
    return canonical(found)


@pytest.mark.requirement(36)
@settings(max_examples=15)
@given(
    files(4, 7),
    st.sets(st.sampled_from(PATHS), min_size=1, max_size=4),
    st.sampled_from(QUESTIONS),
    st.integers(0, len(PIPELINES) - 1),
)
def test_hidden_documents_change_no_byte(
    texts: Mapping[str, str], hidden: set[str], question: str, pipeline: int
) -> None:
    """The same answers as from a store that has only ever held what the reader may see."""
    rules = {path: (HIDDEN if path in hidden else VISIBLE)[0] for path in texts}
    seen = {path: text for path, text in texts.items() if path not in hidden}
    full, bare = MachineStore(), MachineStore()
    try:
        with small_limits():
            full.ingest(MAIN_BRANCH, BranchContent(texts), rules)
            bare.ingest(MAIN_BRANCH, BranchContent(seen), dict.fromkeys(seen, VISIBLE[0]))
            for path, text in texts.items():
                for node in nodes_of(path, text):
                    one, other = (
                        explain(store.engine, node, question, pipeline) for store in (full, bare)
                    )
                    assert one == other
    finally:
        full.close()
        bare.close()


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    ("hidden", "absent"),
    [
        ("r:h.md", "r:z.md"),
        ("r:h.md#part", "r:z.md#part"),
        ("r:h.md@0", "r:z.md@0"),
        ("h.md", "z.md"),
        ("s:a.md", "z:a.md"),
    ],
)
def test_a_hidden_and_an_absent_id_read_the_same_apart_from_themselves(
    store: MachineStore, hidden: str, absent: str
) -> None:
    texts = {"a.md": "# Rocket\n\nfuel [see](/h.md)\n", "h.md": "# Fuel\n\n## Part\n\nthrust\n"}
    store.ingest(MAIN_BRANCH, BranchContent(texts), {"a.md": VISIBLE[0], "h.md": HIDDEN[0]})
    store.ingest(
        BranchName(LOCAL, "s", "main"), BranchContent(texts), dict.fromkeys(texts, HIDDEN[1])
    )
    there, nowhere = (
        explain(store.engine, node, QUESTIONS[0], 0).decode() for node in (hidden, absent)
    )
    assert "no visible node has the id" in nowhere
    assert there.replace(hidden, absent) == nowhere


def test_the_harness_sees_a_visible_change(store: MachineStore) -> None:
    """A harness that cannot fail proves nothing."""
    texts = {"a.md": "# Rocket\n\nfuel\n"}
    store.ingest(MAIN_BRANCH, BranchContent(texts), {"a.md": VISIBLE[0]})
    before = explain(store.engine, "r:a.md", QUESTIONS[0], 0)
    more = {**texts, "h.md": "# Fuel\n\nthrust\n"}
    store.ingest(MAIN_BRANCH, BranchContent(more), dict.fromkeys(more, VISIBLE[0]))
    assert explain(store.engine, "r:a.md", QUESTIONS[0], 0) != before
