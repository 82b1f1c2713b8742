"""Asking why tells nothing of what a reader may not see: not by a byte, not by a word."""

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
from tests.interference.views import StoredFile, BranchName
from tests.interference.worlds import HIDDEN, PATHS, VISIBLE, files, nodes_of

HOME = BranchName(LOCAL, "r", "main")


@pytest.fixture
def stock() -> Iterator[MachineStore]:
    stock = MachineStore()
    yield stock
    stock.close()


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
            full.ingest(HOME, StoredFile(texts), rules)
            bare.ingest(HOME, StoredFile(seen), dict.fromkeys(seen, VISIBLE[0]))
            for path, text in texts.items():
                for node in nodes_of(path, text):
                    one, other = (
                        explain(stock.engine, node, question, pipeline) for stock in (full, bare)
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
    stock: MachineStore, hidden: str, absent: str
) -> None:
    texts = {"a.md": "# Rocket\n\nfuel [see](/h.md)\n", "h.md": "# Fuel\n\n## Part\n\nthrust\n"}
    stock.ingest(HOME, StoredFile(texts), {"a.md": VISIBLE[0], "h.md": HIDDEN[0]})
    stock.ingest(BranchName(LOCAL, "s", "main"), StoredFile(texts), dict.fromkeys(texts, HIDDEN[1]))
    there, nowhere = (
        explain(stock.engine, node, QUESTIONS[0], 0).decode() for node in (hidden, absent)
    )
    assert "nothing visible under this id" in nowhere
    assert there.replace(hidden, absent) == nowhere


def test_the_harness_sees_a_visible_change(stock: MachineStore) -> None:
    """A harness that cannot fail proves nothing."""
    texts = {"a.md": "# Rocket\n\nfuel\n"}
    stock.ingest(HOME, StoredFile(texts), {"a.md": VISIBLE[0]})
    before = explain(stock.engine, "r:a.md", QUESTIONS[0], 0)
    more = {**texts, "h.md": "# Fuel\n\nthrust\n"}
    stock.ingest(HOME, StoredFile(more), dict.fromkeys(more, VISIBLE[0]))
    assert explain(stock.engine, "r:a.md", QUESTIONS[0], 0) != before
