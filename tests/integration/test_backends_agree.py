"""The backend can be changed with no change to a pipeline: two stores, one plan, one context."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from string import ascii_lowercase

import pytest

from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, LOCAL_ONLY, AccessRule, Principal
from docgraph.model.digest import canonical, plain
from docgraph.model.document import Document
from docgraph.model.reference import Definition
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.ports.store import Store
from docgraph.ports.writes import BuiltDocument, text_key
from docgraph.wiring.build import open_folder
from tests.interference.machine import counts
from tests.interference.postgres_factories import on_postgres
from tests.interference.probes import (
    PIPELINES,
    AskProbe,
    ContentDigestProbe,
    DifferencesProbe,
    Probe,
    RelationCountsProbe,
    RelationsProbe,
    SessionProbe,
    SnapshotsProbe,
    StatusProbe,
    everything,
    results_of,
)
from tests.interference.runs import prove
from tests.interference.store_factories import OpenedStore
from tests.interference.stores import MachineStore, small_limits
from tests.interference.twin_stores import TwinInterference
from tests.interference.views import BranchContent as Texts
from tests.support import guarded_world
from tests.support.memory_world import World, world
from tests.support.pipeline_runs import plan_and_context
from tests.support.postgres_server import PostgresServer
from tests.support.sample_documents import (
    EAST,
    EMBEDDER,
    NORTH,
    ChunkSpec,
    Part,
    SampleDocument,
    ask,
    document,
    edge,
    towards,
)
from tests.support.small_world import statements_of

ROOT = Path(__file__).parents[2]
Pair = tuple[MachineStore, MachineStore]
ASKED = ("The valve of Marie Curie", "Part of marklocalrmainbmd", "`Valve` in pkg/f.py", "unknown")
PROBES: tuple[Probe, ...] = (
    *(AskProbe(ASKED[0], at) for at in range(3)),
    *(RelationsProbe(), RelationCountsProbe(), ContentDigestProbe(), StatusProbe(), SessionProbe()),
)
STRANGE = (
    *("B.md", "a.md", "_.md", "Z.md", "z.md", "ä.md", "a\u0308.md", "Å.md", "ß.md", "ﬀ.md"),
    *("日本.md", "🚀.md", "\uffee.md", "\u0131.md", "a b.md", "a%s.md", "%(x)s.md", "a\\b.md"),
    *("a'b.md", 'a"b.md'),
)
UNHEARD_OF = ("absent.md", "nul\0.md", "half\ud800.md", "'; DROP TABLE documents --.md")
HIDDEN = AccessRule("local", frozenset({"others"}))
PLACE = world(
    document("r:a.md", ChunkSpec("north wind blows", NORTH), ChunkSpec("east wind", EAST)),
    document("r:b.md", "calm sea", meaning=towards(0.9)),
    document(
        "r:c.md",
        "weather of the north",
        meaning=towards(0.7),
        parts=(Part("#storm", (ChunkSpec("storm and wind", towards(0.8)),), towards(0.8)),),
    ),
    document(
        "r:d.py",
        "import wind",
        meaning=towards(0.3),
        parts=(Part("::blow_wind", (ChunkSpec("def blow_wind", NORTH),), NORTH),),
    ),
    document("r:e.md", "wind wind wind north", meaning=NORTH),
    edges=(
        edge("r:a.md", "r:b.md"),
        edge("r:a.md", "r:e.md"),
        edge("r:b.md", "r:c.md", at=3),
        edge("r:d.py::blow_wind", "r:c.md", "calls", at=1),
    ),
    names=(("blow_wind", "r:d.py::blow_wind"), ("blow_wind", "r:e.md")),
    hidden=("r:e.md",),
)


def stored(place: World, held: SampleDocument) -> Document:
    """The same document as a store takes it in."""
    return Document(
        path=held.nodes[0].source.path,
        text=held.text,
        nodes=held.nodes,
        chunks=held.chunks,
        definitions=tuple(
            Definition(f"doc:{name}", node.removeprefix(held.id))
            for name, node in place.names
            if node.startswith(held.id)
        ),
        references=(),
        statements=statements_of(HIDDEN if held.id in place.hidden else LOCAL_ONLY),
        fingerprint=held.id,
    )


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        yield SqliteStore(tmp_path / "s.db", now=lambda: "now")
        return
    with closing(Pool(request.getfixturevalue("database"))) as pool:
        yield PostgresStore(pool, now=lambda: "now")


def fill(store: Store, place: World) -> None:
    with store.open_writer("local", "r", "main", EMBEDDER) as writes:
        for held in place.documents:
            texts = [chunk.text for chunk in held.chunks]
            keys = tuple(map(text_key, texts))
            writes.embeddings.add(dict(zip(keys, held.chunk_vectors, strict=True)))
            found = stored(place, held)
            writes.documents.add([BuiltDocument(found, tuple(texts), (), held.node_vectors)])
        writes.edges.replace_imported(place.edges)
        writes.publish()


@pytest.mark.requirement(42)
def test_every_pipeline_gives_the_same_bytes_on_every_backend(store: Store) -> None:
    fill(store, PLACE)
    for name in sorted(shipped_pipelines()):
        for asked in map(ask, ("north wind", "what does blow_wind do?", "nothing known")):
            with store.open_session(local()) as reads:
                on_disk = plan_and_context(reads, load(name), asked)
            in_memory = plan_and_context(PLACE, load(name), asked)
            assert canonical(on_disk[0]) == canonical(in_memory[0])
            assert on_disk[0].order
            texts = [[item.text for item in found.items] for _, found in (on_disk, in_memory)]
            assert texts[0] == texts[1]
            assert on_disk[1].text == in_memory[1].text


@pytest.fixture
def pair(database: str) -> Iterator[Pair]:
    """Two stores to which the same happens."""
    with closing(Pool(database)) as pool:
        server = MachineStore(
            lambda: OpenedStore(PostgresStore(pool, now=lambda: "now"), lambda: None)
        )
        embedded = MachineStore()
        yield embedded, server
        embedded.close()


def agree(pair: Pair, probe: Probe, reader: Principal, *selectors: SnapshotSelector) -> None:
    one, other = (
        results_of(probe, stock.engine, reader, selectors or ALL_REPOSITORIES) for stock in pair
    )
    assert one == other, probe


@pytest.mark.requirement(42)
def test_every_reader_and_question_gets_the_same_bytes_on_either_store(pair: Pair) -> None:
    """Plans, contexts, traces, relations, statuses, digests; for readers of several tenants."""
    assert {pipeline.name for pipeline in PIPELINES} == shipped_pipelines().keys()
    for stock in pair:
        guarded_world.fill(stock)
    for reader in guarded_world.READERS.values():
        one, other = (everything(stock.engine, reader, ASKED) for stock in pair)
        assert one == other
        assert (b"of marklocalrmaintwin" in one) == (reader.tenant == LOCAL)
        agree(pair, SnapshotsProbe(), reader)


@pytest.mark.requirement(42)
def test_every_snapshot_gives_the_same_bytes_on_either_store(pair: Pair) -> None:
    """Also after a prune, and after rules have changed."""
    for stock in pair:
        guarded_world.fill(stock)
        stock.prune(guarded_world.DEV, 2)
        stock.set_access(guarded_world.MAIN, "c.md", guarded_world.REDS)
    for name in ("rosa", "stranger"):
        reader = guarded_world.READERS[name]
        listed = [stock.engine.content.snapshots(reader) for stock in pair]
        assert listed[0] == listed[1]
        selectors = [SnapshotSelector(*plain(info.name).values()) for info in listed[0]]
        for selector in selectors:
            for probe in PROBES:
                agree(pair, probe, reader, selector)
        for old, new in pairwise(selectors):
            if (old.repository, old.branch) == (new.repository, new.branch):
                agree(pair, DifferencesProbe(), reader, old, new)


def test_what_is_spelt_strangely_gives_the_same_bytes_on_either_store(pair: Pair) -> None:
    """Ids that every locale sorts in another way, all equally near to the question."""
    rules = dict.fromkeys(STRANGE, guarded_world.OPEN)
    for stock in pair:
        stock.ingest(guarded_world.MAIN, Texts(dict.fromkeys(STRANGE, "# Valve\n\nvalve\n")), rules)
    reader = guarded_world.READERS["nemo"]
    for probe in (*PROBES, *(AskProbe("", 0, (f"r:{path}",)) for path in (*STRANGE, *UNHEARD_OF))):
        agree(pair, probe, reader)


def test_names_of_any_length_give_the_same_bytes_on_either_store(pair: Pair) -> None:
    """Headings, functions, words and links that are longer than an index of Postgres takes."""
    long = "".join(Random(1).choices(ascii_lowercase, k=6_000))
    texts = {
        "a.md": f"# {long}\n\nvalve [see](/b.py)\n\n## {long} part\n\n{long}\n",
        "b.py": f"def {long}():\n    return 1\n",
        "c.md": f"---\nsupersedes: {long}\n---\n# Valve\n\n`{long}` [there](/{long}.md)\n",
    }
    for stock in pair:
        stock.ingest(guarded_world.MAIN, Texts(texts), dict.fromkeys(texts, guarded_world.OPEN))
    for probe in (*PROBES, AskProbe(long, 1), AskProbe("", 0, ("r:c.md", f"r:b.py::{long}"))):
        agree(pair, probe, guarded_world.READERS["nemo"])


@pytest.mark.requirement(42)
def test_our_own_documentation_gives_the_same_bytes_on_either_store(
    pair: Pair, tmp_path: Path
) -> None:
    docs = shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for stock in pair:
        stock.engine.content.ingest(
            local(),
            open_folder(docs, 1_000_000),
            repository="r",
            branch="main",
            rule_for=lambda _: LOCAL_ONLY,
        )
    questions = ("Who may read what?", "How is a plan made, and by `RetrievalPlan`?", "ADR 10")
    asked = (AskProbe(question, at) for question in questions for at in range(len(PIPELINES)))
    for probe in (*PROBES, *asked):
        agree(pair, probe, local())


@pytest.mark.requirement(42)
def test_whatever_happens_to_two_stores_they_give_the_same_bytes(postgres: PostgresServer) -> None:
    """The machine's worlds and histories; its readers and questions too."""
    counts.clear()
    with small_limits(), on_postgres(postgres) as homes:
        prove(6, 30, store_factory=homes, machine=TwinInterference)
    assert counts["in step"] >= 4 * counts["runs"] >= 120
