"""Start states of the machine: the reader, the probes and the first documents."""

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

MAIN_BRANCHES = (BranchName(LOCAL, "r", "main"), BranchName(LOCAL, "r", "work"))
PROBE_KINDS = (
    "ask",
    "ask",
    "ask",
    "name",
    "obey",
    "graph",
    "search",
    "texts",
    "refusals",
    "result",
    "result",
)
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
class StartState:
    """`rules` are numbers of access rules, one for each text; `first` sends every request before
    `reader` does."""

    reader: Person
    first: Person | None
    main_branch: BranchName
    texts: dict[str, str]
    rules: tuple[int, ...]
    probes: tuple[Probe, ...]


@st.composite
def start_states(draw: st.DrawFn) -> StartState:
    texts = draw(files(3, 4))
    near = tuple(node for path, text in texts.items() for node in nodes_of(path, text))
    return StartState(
        draw(st.sampled_from(PEOPLE)),
        draw(st.sampled_from((*[None] * 28, *PEOPLE, STRANGER))),
        draw(st.sampled_from(MAIN_BRANCHES)),
        texts,
        tuple(draw(picks) for _ in texts),
        tuple(draw(st.lists(probes(near), min_size=1, max_size=2, unique=True))),
    )


@st.composite
def probes(draw: st.DrawFn, near: tuple[str, ...]) -> Probe:
    """One way out, asked for nodes that are there, or not, or hidden."""
    kind, question = draw(st.sampled_from(PROBE_KINDS)), draw(st.sampled_from(QUESTIONS))
    if kind == "ask":
        return AskProbe(question, draw(st.integers(0, len(PIPELINES) - 1)))
    if kind == "result":
        return draw(st.sampled_from(RESULT_PROBES))
    ids = tuple(
        draw(st.lists(st.sampled_from((*near, *near, *FAR)), min_size=1, max_size=3, unique=True))
    )
    if kind in {"name", "obey"}:
        asked, at = draw(st.sampled_from(("", question))), draw(st.integers(0, len(PIPELINES) - 1))
        return AskProbe(asked, at, ids) if kind == "name" else ExecutePlanProbe(ids, asked, at % 2)
    return _window(draw, kind, ids, question)


def _window(draw: st.DrawFn, kind: str, ids: tuple[str, ...], question: str) -> Probe:
    if kind == "graph":
        return GraphReadsProbe(ids)
    if kind == "search":
        return SearchReadsProbe(ids, question, draw(st.sampled_from(LEVELS)), draw(st.booleans()))
    if kind == "texts":
        return TextReadsProbe(ids, question)
    return RefusalsProbe(ids[:1], (draw(st.sampled_from(UNSEEN)),))
