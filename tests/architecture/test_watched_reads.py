"""Every read of a question goes through the views, as recorded by SQLite's authorizer."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from docgraph_faiss import FaissIndex

from docgraph.adapters.sql.database import Dialect, load_queries
from docgraph.adapters.sql.index_outbox import ExternalIndex
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, LOCAL_ONLY, RIGHTS, AccessRule, Principal
from docgraph.model.edge import Edge
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.testing.small_store import HashedWords
from tests.interference.probes import everything, refusals_of
from tests.support.engines import make_engine
from tests.support.fakes import LengthReranker
from tests.support.memory_source import MemorySource
from tests.support.raw_reads import ALLOWED, VIEWS, RawRead, Watch, watch_reads

FILES = {
    "a.md": "# Rocket\n\nThrust and fuel, as [said](h.md), by Marie Curie. See `launch_window`.\n",
    "h.md": "---\nsupersedes: a.md\n---\n# Landing Pad\n\n## Part\n\nMarie Curie, ADR-2.\n",
    "adr/0002-y.md": "# Fuel\n\nThe Landing Pad of Marie Curie.\n",
    "pkg/f.py": "import pkg.g as other\n\n\ndef launch_window():\n    return other.open_up()\n",
    "pkg/g.py": "def open_up():\n    return 1\n",
    "e.txt": "Rocket\n\nfuel thrust, Marie Curie, a.md\n",
}
UNSEEN = {"e.txt"}
THEIRS = AccessRule(LOCAL, frozenset({"others"}))
ALL_SEEING = Principal("all", LOCAL, frozenset({LOCAL, "others"}), rights=frozenset(RIGHTS))


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Two snapshots, relations of every origin, and a hidden document."""
    engine = make_engine(
        SqliteStore(tmp_path / "store.db", now=lambda: "now", wait=5), rerank_model=LengthReranker
    )
    engine.content.ingest(
        local(),
        MemorySource(FILES),
        repository="r",
        branch="main",
        rule_for=lambda path: THEIRS if path in UNSEEN else LOCAL_ONLY,
    )
    engine.content.add_relation(ALL_SEEING, Edge("r:a.md", "explains", "r:h.md"))
    engine.content.add_relation(ALL_SEEING, Edge("r:a.md", "explains", "r:e.txt"))
    _add_summaries(engine)
    return engine


def _add_summaries(engine: Engine) -> None:
    """Documents of which the summary alone is embedded, one of them hidden."""
    later = FILES | {"s.md": "# Summary\n\nOf fuel.\n", "e2.txt": "Thrust\n\nA rocket.\n"}
    engine.content.ingest(
        local(),
        MemorySource(later),
        repository="r",
        branch="main",
        rule_for=lambda path: THEIRS if path in {*UNSEEN, "e2.txt"} else LOCAL_ONLY,
        embed="none",
    )
    embedder = HashedWords()
    with engine.content.store.open_writer(LOCAL, "r", "main", embedder.identity) as writer:
        pending = writer.embeddings.pending()
        vectors = embedder.embed([one.path for one in pending])
        versions = (one.version for one in pending)
        writer.embeddings.add_summaries(dict(zip(versions, vectors, strict=True)))
        writer.publish()


@pytest.fixture
def watch(engine: Engine) -> Iterator[Watch]:
    with watch_reads() as found:
        yield found


def ask_everything(engine: Engine) -> None:
    everything(engine, local())
    refusals_of(engine, local())
    asked = load("documents").with_options("search_nodes", rerank=4)
    found = engine.questions.retrieve(QuestionRequest(local(), asked, "rocket fuel"))
    engine.questions.execute(local(), found.to_saved_plan(), asked)
    engine.content.snapshots(local())
    engine.content.diff_snapshots(
        local(), SnapshotName("r", "main", 1), SnapshotName("r", "main", 2)
    )


def reads_of_tables(watch: Watch) -> list[RawRead]:
    return sorted(read for read in watch.raw if not read.is_allowed)


def test_every_read_of_every_stage_goes_through_the_views(
    engine: Engine, watch: Watch, tmp_path: Path
) -> None:
    """Also with an external index, and in a new process with empty caches."""
    ask_everything(engine)
    index = ExternalIndex("faiss", FaissIndex(tmp_path / "index"), time.time)
    external = SqliteStore(tmp_path / "store.db", now=lambda: "now", external=index)
    external.reindex()
    ask_everything(make_engine(external, rerank_model=LengthReranker))
    SqliteStore(tmp_path / "store.db", now=lambda: "now").snapshots(local())
    assert reads_of_tables(watch) == []
    assert watch.views == VIEWS
    assert {(read.module, read.function) for read in watch.raw} == ALLOWED.keys()


@pytest.mark.parametrize(
    ("modules", "query", "raw"),
    [
        (
            "sql.search",
            "names_of_handles",
            "SELECT handle, id, kind FROM document_nodes",
        ),
        ("sql.graph", "count_unresolved_calls", "SELECT count(*) FROM documents"),
        (
            "sql.texts",
            "chunks_of_versions",
            (
                "SELECT version, position, id, node, heading_path, first_line, "
                "last_line, start_offset, end_offset, page FROM vector_chunks "
                "WHERE version IN (SELECT value FROM json_each(:versions))"
            ),
        ),
        (
            "sql.snapshots sql.texts",
            "text_of_version",
            "SELECT decompress(text) FROM contents LIMIT 1",
        ),
        (
            "indexes.segment_cache",
            "segment_arrays",
            "SELECT arrays FROM segments WHERE id = :segment",
        ),
        (
            "sql.reader_session",
            "count_chunks",
            "SELECT count(*) FROM visible_chunks, node_references",
        ),
    ],
)
def test_a_read_of_a_table_is_detected(
    engine: Engine,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
    modules: str,
    query: str,
    raw: str,
) -> None:
    """A stage with a query of a table."""

    def load_changed_queries(dialect: Dialect, file: str) -> dict[str, str]:
        found = load_queries(dialect, file)
        return {**found, query: raw} if file == "reads.sql" else found

    monkeypatch.setattr(f"{PACKAGE}.database.load_queries", load_changed_queries)
    ask_everything(engine)
    assert {read.module for read in reads_of_tables(watch)} == set(modules.split())


@pytest.mark.parametrize("view", sorted(view for view in VIEWS if view.startswith("visible_")))
def test_a_view_contains_only_readable_rows(engine: Engine, watch: Watch, view: str) -> None:
    def rows(reader: Principal) -> int:
        with engine.content.store.open_session(reader):
            assert watch.connection is not None
            (count,) = watch.connection.execute(f"SELECT count(*) FROM {view}").fetchone()
            return int(count)

    assert rows(ALL_SEEING) > rows(local()) > rows(Principal("stranger", LOCAL)) == 0
