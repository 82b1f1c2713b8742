"""What a reader may not see changes not one byte of what they get."""

import itertools
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from docgraph.adapters.named_queries import script
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.search import SqliteSearch
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.doors.login import local
from docgraph.engine import Engine
from docgraph.ingest.mine.mine import ALL_MINERS
from docgraph.model.edge import HAND, Edge, Relationship
from docgraph.model.errors import BadInput
from docgraph.model.identity import path_of
from docgraph.ports.search_reads import Postings
from tests.interference.everything import everything, refused
from tests.interference.worlds import HIDDEN, PATHS, VISIBLE, File, World, edges, worlds
from tests.support.memory_source import MemorySource
from tests.support.small_world import IDENTITY, HashedWords
from tests.support.stand_ins import CountsWords
from tests.unit.ingest.fakes import candidates


@pytest.fixture(scope="module")
def places() -> Iterator[Iterator[Path]]:
    """In memory where the system has a folder for that: nobody reads these stores again."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield (Path(folder) / f"{number}.db" for number in itertools.count())


@pytest.fixture(scope="module")
def small_limits() -> Iterator[None]:
    """So low that a few documents more make a name common, or a title anybody's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docgraph.model.shared_name.MOST_HOLDERS", 2)
        patch.setattr("docgraph.plan.settle.NAMESAKES", 1)
        yield


def engine_on(path: Path) -> Engine:
    store = SqliteStore(path, now=lambda: "now", wait=5)
    return Engine(store, HashedWords, CountsWords, lambda: None, time.perf_counter)


def ingest(engine: Engine, world: Mapping[str, File], repository: str = "r") -> None:
    try:
        engine.ingest(
            local(),
            MemorySource({path: file.text for path, file in world.items()}),
            repository=repository,
            branch="main",
            rule_for=lambda path: world[path].rule,
        )
    except BadInput:
        assert not world


def relate(engine: Engine, chosen: list[Edge]) -> None:
    """By hand, also to and from what is hidden: the store holds them, readers may not notice."""
    with engine.store.writes("local", "r", "main", IDENTITY) as writes:
        writes.add_by_hand([Relationship(edge, (HAND,), ()) for edge in dict.fromkeys(chosen)])
        writes.publish()


@pytest.mark.requirement(36)
@settings(max_examples=200, phases=(Phase.explicit, Phase.generate))
@given(data=st.data())
def test_hidden_documents_change_no_byte(
    data: st.DataObject, places: Iterator[Path], small_limits: None
) -> None:
    """Hidden documents are added, changed and removed around the same visible ones."""
    visible = data.draw(worlds(PATHS, VISIBLE), label="visible")
    free = tuple(path for path in PATHS if path not in visible)
    history = data.draw(st.lists(worlds(free, HIDDEN), min_size=1, max_size=3), label="hidden")
    by_hand = data.draw(edges(), label="edges")

    alone = engine_on(next(places))
    ingest(alone, visible)
    relate(alone, by_hand)
    among = engine_on(next(places))
    for hidden in history:
        ingest(among, {**visible, **hidden})
    ingest(among, data.draw(worlds(PATHS, HIDDEN), label="elsewhere"), "s")
    relate(among, by_hand)
    assert everything(among, local()) == everything(alone, local())
    assert refused(among, local()) == refused(alone, local())


def test_the_worlds_relate_visible_and_hidden_documents_in_every_way() -> None:
    """Every miner but that of tables has edges among the visible, and to and from the hidden."""
    seen: set[tuple[str, bool, bool]] = set()

    @settings(max_examples=150, phases=(Phase.generate,))
    @given(worlds(PATHS, VISIBLE), worlds(PATHS, HIDDEN))
    def collect(visible: World, hidden: World) -> None:
        world = hidden | visible
        if world:
            for found in candidates({path: file.text for path, file in world.items()}):
                ends = (path_of(found.edge.source), path_of(found.edge.target))
                first, second = (end in visible for end in ends)
                seen.update((origin, first, second) for origin in found.origins)

    collect()
    ways = [(True, True), (True, False), (False, True)]
    assert seen >= {(miner, *way) for miner in ALL_MINERS - {"tables"} for way in ways}


def test_the_harness_sees_a_visible_change(places: Iterator[Path]) -> None:
    """A harness that cannot fail proves nothing."""
    world: World = {"a.md": File("# Rocket\n\nfuel\n", VISIBLE[0])}
    before = engine_on(next(places))
    ingest(before, world)
    after = engine_on(next(places))
    ingest(after, {**world, "h.md": File("# Fuel\n\nthrust\n", VISIBLE[0])})
    assert everything(before, local()) != everything(after, local())


@pytest.mark.requirement(36)
def test_the_harness_catches_statistics_over_hidden_passages(
    places: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leak planted on purpose: the number of passages counts hidden ones too."""
    honest = SqliteSearch.postings

    def leaking(self: SqliteSearch, terms: tuple[str, ...], *, roll_up: bool) -> Postings:
        found = honest(self, terms, roll_up=roll_up)
        rows = sum(len(segment.passage_document) for segment in self._segments.values())
        return replace(found, passages=rows)

    visible: World = {
        "a.md": File("# Rocket\n\nfuel thrust orbit\n", VISIBLE[0]),
        "h.md": File("# Fuel\n\nthrust crew\n", VISIBLE[0]),
    }
    alone, among = engine_on(next(places)), engine_on(next(places))
    ingest(alone, visible)
    ingest(among, {**visible, "d.rst": File("Landing\n=======\n\nthrust\n", HIDDEN[0])})
    assert everything(among, local()) == everything(alone, local())
    monkeypatch.setattr(SqliteSearch, "postings", leaking)
    assert everything(among, local()) != everything(alone, local())


RIVALS = {
    "a title": ("Rocket Engine", "# Rocket Engine\n", "md"),
    "a number": ("as ADR-2 says", "---\nid: ADR-2\n---\n", "md"),
    "a symbol": ("see `launch_window`", "def launch_window(): ...\n", "py"),
    "a name": ("of Marie Curie", "# Of\n\nMarie Curie\n", "md"),
}


@pytest.mark.requirement(36)
@pytest.mark.parametrize("way", sorted(RIVALS))
def test_the_harness_catches_halves_of_hidden_documents(
    places: Iterator[Path], small_limits: None, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A leak planted on purpose: claims and offers of hidden documents meet those of others."""
    said, other, suffix = RIVALS[way]
    visible: World = {
        "a.md": File(f"# A\n\n{said}\n", VISIBLE[0]),
        f"one/x.{suffix}": File(other, VISIBLE[0]),
    }
    alone, among = engine_on(next(places)), engine_on(next(places))
    ingest(alone, visible)
    ingest(among, {**visible, f"two/y.{suffix}": File(other, HIDDEN[0])})
    assert alone.relations(local())
    assert everything(among, local()) == everything(alone, local())
    leak = script(PACKAGE, "visible.sql")
    for half in (
        "is_visible(o.document)",
        "is_visible(c.document) AND is_mined(c.branch, c.miner)",
    ):
        assert half in leak
        leak = leak.replace(half, "in_scope(d.branch, d.born, d.died)")
    monkeypatch.setattr(f"{PACKAGE}.visible.script", lambda *_: leak)
    assert everything(among, local()) != everything(alone, local())
