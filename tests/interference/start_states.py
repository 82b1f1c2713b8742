"""How a run of the machine begins: who watches what, and what there is to see."""

from dataclasses import dataclass

from hypothesis import strategies as st

from docgraph.model.access import LOCAL, Person
from docgraph.model.edge import CONTAINS
from tests.interference.probes import (
    LEVELS,
    PIPELINES,
    QUESTIONS,
    UNSEEN,
    AskProbe,
    ContentDigestProbe,
    ExecutePlanProbe,
    GraphReadsProbe,
    Probe,
    RefusalsProbe,
    RelationCountsProbe,
    RelationsProbe,
    SearchReadsProbe,
    SessionProbe,
    SnapshotsProbe,
    StatusProbe,
    TextReadsProbe,
)
from tests.interference.views import BranchName
from tests.interference.worlds import FAR, PEOPLE, STRANGER, files, nodes_of, picks

HOMES = (BranchName(LOCAL, "r", "main"), BranchName(LOCAL, "r", "work"))
WAYS = ("ask", "ask", "ask", "name", "obey", "graph", "search", "texts", "refusals", "told", "told")
RESULT_PROBES: tuple[Probe, ...] = (
    RelationsProbe(),
    RelationCountsProbe(),
    StatusProbe(),
    ContentDigestProbe(),
    SessionProbe(),
    RelationsProbe(frozenset({CONTAINS})),
    SnapshotsProbe(),
)


@dataclass(frozen=True, slots=True)
class Opening:
    """`rules` tell by number who may read each text; `first` asks whatever `reader` asks, before
    they do."""

    reader: Person
    first: Person | None
    home: BranchName
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
        return AskProbe(question, draw(st.integers(0, len(PIPELINES) - 1)))
    if way == "told":
        return draw(st.sampled_from(RESULT_PROBES))
    ids = tuple(
        draw(st.lists(st.sampled_from((*near, *near, *FAR)), min_size=1, max_size=3, unique=True))
    )
    if way in {"name", "obey"}:
        asked, at = draw(st.sampled_from(("", question))), draw(st.integers(0, len(PIPELINES) - 1))
        return AskProbe(asked, at, ids) if way == "name" else ExecutePlanProbe(ids, asked, at % 2)
    return _window(draw, way, ids, question)


def _window(draw: st.DrawFn, way: str, ids: tuple[str, ...], question: str) -> Probe:
    if way == "graph":
        return GraphReadsProbe(ids)
    if way == "search":
        return SearchReadsProbe(ids, question, draw(st.sampled_from(LEVELS)), draw(st.booleans()))
    if way == "texts":
        return TextReadsProbe(ids, question)
    return RefusalsProbe(ids[:1], (draw(st.sampled_from(UNSEEN)),))
