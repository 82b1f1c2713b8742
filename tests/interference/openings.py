"""How a run of the machine begins: who watches what, and what there is to see."""

from dataclasses import dataclass

from hypothesis import strategies as st

from docgraph.model.access import LOCAL, Person
from docgraph.model.edge import CONTAINS
from tests.interference.everything import (
    OVERS,
    PIPELINES,
    QUESTIONS,
    UNSEEN,
    Ask,
    Digested,
    GraphWindow,
    Obey,
    Probe,
    Refusals,
    Relations,
    RelationsCounted,
    SearchWindow,
    SnapshotsListed,
    StatusTold,
    StoreWindow,
    TextWindow,
)
from tests.interference.views import Place
from tests.interference.worlds import FAR, PEOPLE, STRANGER, files, nodes_of, picks

HOMES = (Place(LOCAL, "r", "main"), Place(LOCAL, "r", "work"))
WAYS = ("ask", "ask", "ask", "name", "obey", "graph", "search", "texts", "refusals", "told", "told")
TOLD: tuple[Probe, ...] = (
    Relations(),
    RelationsCounted(),
    StatusTold(),
    Digested(),
    StoreWindow(),
    Relations(frozenset({CONTAINS})),
    SnapshotsListed(),
)


@dataclass(frozen=True, slots=True)
class Opening:
    """`rules` tell by number who may read each text; `first` asks whatever `reader` asks, before
    they do."""

    reader: Person
    first: Person | None
    home: Place
    texts: dict[str, str]
    rules: tuple[int, ...]
    probes: tuple[Probe, ...]


@st.composite
def openings(draw: st.DrawFn) -> Opening:
    texts = draw(files(3, 4))
    near = tuple(node for path, text in texts.items() for node in nodes_of(path, text))
    return Opening(
        draw(st.sampled_from(PEOPLE)),
        draw(st.sampled_from((*[None] * 28, *PEOPLE, STRANGER))),
        draw(st.sampled_from(HOMES)),
        texts,
        tuple(draw(picks) for _ in texts),
        tuple(draw(st.lists(probes(near), min_size=1, max_size=2, unique=True))),
    )


@st.composite
def probes(draw: st.DrawFn, near: tuple[str, ...]) -> Probe:
    """One way out, asked for nodes that are there, or not, or hidden."""
    way, question = draw(st.sampled_from(WAYS)), draw(st.sampled_from(QUESTIONS))
    if way == "ask":
        return Ask(question, draw(st.integers(0, len(PIPELINES) - 1)))
    if way == "told":
        return draw(st.sampled_from(TOLD))
    ids = tuple(
        draw(st.lists(st.sampled_from((*near, *near, *FAR)), min_size=1, max_size=3, unique=True))
    )
    if way in {"name", "obey"}:
        asked, at = draw(st.sampled_from(("", question))), draw(st.integers(0, len(PIPELINES) - 1))
        return Ask(asked, at, ids) if way == "name" else Obey(ids, asked, at % 2)
    return _window(draw, way, ids, question)


def _window(draw: st.DrawFn, way: str, ids: tuple[str, ...], question: str) -> Probe:
    if way == "graph":
        return GraphWindow(ids)
    if way == "search":
        return SearchWindow(ids, question, draw(st.sampled_from(OVERS)), draw(st.booleans()))
    if way == "texts":
        return TextWindow(ids, question)
    return Refusals(ids[:1], (draw(st.sampled_from(UNSEEN)),))
