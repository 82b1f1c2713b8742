"""An incremental ingest equals one from scratch, also for old documents and for old snapshots.

Trees of files are added to, changed, renamed and thinned out, step by step, in one store. After
each step a second store is made of the last tree alone, and nobody can tell the two apart.
"""

import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from docgraph.adapters.sql.relation_writer import SqlReferenceWriter
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.digest import canonical
from docgraph.model.edge import Edge, Relationship
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.ports.search_reads import Level
from docgraph.ports.store import ReaderSession
from docgraph.testing.small_store import hash_vector
from tests.interference.probes import ask_all
from tests.interference.worlds import PATHS, RELATIONS, texts
from tests.support.engines import make_engine
from tests.support.lexical_scores import scores_of
from tests.support.memory_source import MemorySource

QUESTION = "What does the Rocket Engine of ADR-2 do in `launch_window` for Marie Curie?"
PIPELINES: tuple[Pipeline, ...] = (
    load("documents"),
    load("code").with_options("expand_dependency_tree", relations=None, direction="both"),
    load("flat"),
)
OVERS: tuple[Level, ...] = ("documents", "sections", "chunks")
Tree = dict[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """What is ingested, without which miners, and with which given edges."""

    tree: Tree
    without: tuple[str, ...] = ()
    given: tuple[Edge, ...] = ()


@pytest.fixture(scope="module")
def places() -> Iterator[Iterator[Path]]:
    """In memory where the system has a folder for that: nobody reads these stores again."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield (Path(folder) / f"{number}.db" for number in itertools.count())


def engine_on(path: Path) -> Engine:
    store = SqliteStore(path, now=lambda: "now", wait=5)
    return make_engine(store)


def ingest(engine: Engine, step: Step) -> IngestResult:
    return engine.content.ingest(
        local(),
        MemorySource(step.tree),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
        without=step.without,
        given=[Relationship(edge, ("imported",), ()) for edge in step.given],
    )


def observed(engine: Engine, selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES) -> bytes:
    """Everything that a reader gets, but the snapshot's number and the time taken."""
    reader = local()
    with engine.content.store.open_session(reader, selectors) as reads:
        found = searched(reads)
        seeds = reads.graph.visible_ids(tuple(f"r:{path}" for path in PATHS))
    found.append(engine.content.status(reader, selectors).counts)
    found.append(engine.content.content_digest(reader, selectors))
    found.append(engine.content.relations(reader, selectors))
    found.append(engine.content.relation_counts(reader, selectors))
    found.extend(
        ask_all(engine, reader, QUESTION, pipeline, selectors=selectors) for pipeline in PIPELINES
    )
    found.append(ask_all(engine, reader, "", PIPELINES[0], *seeds, selectors=selectors))
    return canonical(found)


def searched(reads: ReaderSession) -> list[object]:
    vector = tuple(int(value) for value in hash_vector(QUESTION))
    found: list[object] = [
        reads.search.nearest(vector, over=over, roll_up=False, top=100) for over in OVERS
    ]
    found.extend(scores_of(reads.search, ("rocket", "fuel", "engine"), roll_up=False))
    found.append(reads.search.definers(("launch_window", "adr2", "valve", "a.md")))
    found.append(tuple(reads.contents()))
    found.append((reads.graph.reference_counts(), reads.graph.unresolved_calls()))
    return found


@st.composite
def changed(draw: st.DrawFn, tree: Mapping[str, str]) -> Tree:
    """One to three files are added, changed, removed or renamed."""
    later = dict(tree)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PATHS))
        what = draw(st.sampled_from(("write", "write", "remove", "rename")))
        if what == "write" or path not in later:
            later[path] = draw(texts(path))
        elif what == "remove":
            del later[path]
        else:
            kept = later.pop(path)
            later[draw(st.sampled_from([p for p in PATHS if p[-3:] == path[-3:]]))] = kept
    return later or {"a.md": draw(texts("a.md"))}


@st.composite
def histories(draw: st.DrawFn) -> tuple[Step, ...]:
    paths = draw(st.sets(st.sampled_from(PATHS), min_size=1, max_size=7))
    tree: Tree = {path: draw(texts(path)) for path in sorted(paths)}
    steps = [Step(tree)]
    ends = st.sampled_from([f"r:{path}" for path in PATHS])
    edges = st.builds(Edge, ends, st.sampled_from(RELATIONS), ends)
    for _ in range(draw(st.integers(1, 3))):
        tree = draw(changed(tree))
        without = draw(st.sampled_from(((), (), (), ("titles",), ("links", "names"))))
        given_edges = draw(st.lists(edges, max_size=2, unique=True).map(tuple))
        steps.append(Step(tree, without, given_edges))
    return tuple(steps)


NEW_TITLE = (
    Step({"e.txt": "Notes\n\nthe Landing Pad and the Fuel\n"}),
    Step({"e.txt": "Notes\n\nthe Landing Pad and the Fuel\n", "a.md": "# Landing Pad\n"}),
)
TITLE_COMES_BACK = (
    Step({"a.md": "# Fuel\n", "h.md": "# Rocket\n"}),
    Step({"e.txt": "Notes\n\nthe Fuel\n", "h.md": "# Rocket\n"}),
    Step({"e.txt": "Notes\n\nthe Fuel\n", "h.md": "# Fuel\n"}),
)
TITLE_WHILE_OFF = (
    Step({"e.txt": "Notes\n\nthe Fuel\n"}),
    Step({"e.txt": "Notes\n\nthe Fuel\n", "a.md": "# Fuel\n"}, ("titles",)),
    Step({"e.txt": "Notes\n\nthe Fuel\n", "a.md": "# Fuel\n"}),
)


@pytest.mark.requirement(8)
@pytest.mark.requirement(10)
@settings(max_examples=20, phases=(Phase.explicit, Phase.generate))
@given(history=histories())
@example(history=NEW_TITLE)
@example(history=TITLE_COMES_BACK)
@example(history=TITLE_WHILE_OFF)
def test_an_incremental_ingest_equals_one_from_scratch(
    history: tuple[Step, ...], places: Iterator[Path]
) -> None:
    engine = engine_on(next(places))
    seen: dict[int, bytes] = {}
    for step in history:
        ingest(engine, step)
        scratch = engine_on(next(places))
        ingest(scratch, step)
        now = observed(engine)
        assert now == observed(scratch)
        seen[engine.content.status(local()).scope.snapshots[0].snapshot] = now
    for number, then in seen.items():
        assert observed(engine, (SnapshotSelector("r", "main", number),)) == then
    assert engine.content.store.verify().is_sound


@pytest.mark.requirement(8)
def test_an_old_document_that_mentions_a_new_title_gets_the_edge_and_no_other_change(
    places: Iterator[Path],
) -> None:
    engine = engine_on(next(places))
    before, after = NEW_TITLE
    ingest(engine, before)
    old = observed(engine)
    found = ingest(engine, after)
    assert (found.added, found.unchanged, found.nodes) == (1, 1, 1)
    edges = [(f.edge.source, f.edge.relation) for f in engine.content.relations(local())]
    assert ("r:e.txt", "mentions") in edges
    assert observed(engine, (SnapshotSelector("r", "main", 1),)) == old


def test_this_proof_can_fail(places: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Old documents are not searched for new titles: the proof notices."""
    honest = SqlReferenceWriter.titles
    monkeypatch.setattr(
        SqlReferenceWriter, "titles", lambda self: dict.fromkeys(honest(self), True)
    )
    engine, scratch = engine_on(next(places)), engine_on(next(places))
    for step in NEW_TITLE:
        ingest(engine, step)
    ingest(scratch, NEW_TITLE[-1])
    assert observed(engine) != observed(scratch)
