"""The second lock: with our own filter taken away, Postgres alone lets nothing through."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from psycopg import sql

from docgraph.adapters.postgres.row_security import guard
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.adapters.sql.visibility import Visibility, resolve_visibility
from docgraph.model.access import Principal
from docgraph.model.digest import canonical
from docgraph.model.edge import RELATIONS
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import ReaderSession
from tests.conformance.store_rules import OVERS, plan_of, vector
from tests.support.graph_edges import all_edges, ungrouped
from tests.support.guarded_world import (
    READERS,
)
from tests.support.lexical_scores import counts_chunks, scores_of
from tests.support.second_lock import DERIVED, SecondLock, open_second_lock, rows, view_rows
from tests.support.weakened_views import forget_everything, views


@pytest.fixture
def lock(database: str) -> Iterator[SecondLock]:
    with open_second_lock(database) as lock:
        yield lock


@pytest.fixture
def unlocked(lock: SecondLock, monkeypatch: pytest.MonkeyPatch) -> SecondLock:
    """The first lock is gone: views and mask let everything of every branch through."""
    forget_everything(lock.owner)
    branches: dict[int, int] = dict(lock.owner.execute("SELECT id, newest_snapshot FROM branches"))

    def see_all(
        known: VersionTable, reader: Principal, selectors: Sequence[SnapshotSelector]
    ) -> Visibility:
        seen = resolve_visibility(known, reader, selectors)
        reads = replace(seen.reads, snapshots=tuple(sorted(branches.items())))
        return replace(seen, mask=known.mask(reads), reads=reads)

    monkeypatch.setattr("docgraph.adapters.postgres.store.resolve_visibility", see_all)
    everything, nothing = np.ones(10_000, dtype=np.bool_), np.zeros(10_000, dtype=np.bool_)
    monkeypatch.setattr(VersionTable, "mask", lambda *_: everything)
    monkeypatch.setattr(VersionTable, "embedded", lambda *_: (everything, nothing))
    monkeypatch.setattr(
        "docgraph.adapters.postgres.store.guard",
        lambda database, known, classes, _: guard(
            database,
            known,
            classes,
            {branch: new for branch, new in branches.items() if (branch, new) in known.snapshots},
        ),
    )
    return lock


@pytest.mark.requirement(36)
@pytest.mark.requirement(39)
def test_every_table_shows_what_comes_from_readable_documents_and_nothing_else(
    lock: SecondLock,
) -> None:
    whole = {table: rows(lock.owner, table) for table in DERIVED}
    for name, reader in READERS.items():
        seen = lock.visible_rows(reader)
        assert all(len(seen[table]) < len(whole[table]) for table in DERIVED), name
        assert all(seen.values()) == any(seen.values()) == (name != "nobody"), name


@pytest.mark.requirement(39)
def test_without_rights_there_are_no_rows(unlocked: SecondLock) -> None:
    """Neither where nothing was ever set, nor where it is empty, nor where no class is meant."""
    owner = unlocked.owner
    with owner.transaction():
        owner.execute("SET LOCAL ROLE docgraph_reader")
        unset = owner.execute("SELECT current_setting('docgraph.access_classes', true)").fetchone()
        assert unset == (None,)
        assert not any(rows(owner, table) for table in DERIVED)
        assert not any(view_rows(owner, view) for view in views(owner))
    for classes in ("", "0", "-1", "2147483647"):
        assert not any(unlocked.shown_rows(classes).values()), classes


def test_without_the_views_filter_a_login_sees_everything(unlocked: SecondLock) -> None:
    """Through every view that there is."""
    found = unlocked.owner.execute("SELECT viewname FROM pg_views WHERE schemaname = 'docgraph'")
    names = views(unlocked.owner).keys()
    assert {name for (name,) in found} == names
    everything = "\n".join(row for name in names for row in view_rows(unlocked.owner, name))
    assert all(secret in everything for secret in unlocked.secrets(READERS["nobody"]))


@pytest.mark.requirement(36)
@pytest.mark.requirement(39)
def test_no_view_reveals_a_secret(unlocked: SecondLock) -> None:
    for reader in READERS.values():
        secrets = unlocked.secrets(reader)
        with unlocked.reader(unlocked.classes(reader)) as connection:
            for view in views(unlocked.owner):
                found = "\n".join(view_rows(connection, view))
                assert [secret for secret in secrets if secret in found] == [], (reader.id, view)


@pytest.mark.requirement(36)
@pytest.mark.requirement(39)
def test_no_port_reveals_a_secret(unlocked: SecondLock) -> None:
    """Through search, graph and texts, with every id and every word there is."""
    ids = unlocked.owner.execute("SELECT DISTINCT id FROM document_nodes").fetchall()
    terms = unlocked.owner.execute("SELECT DISTINCT term FROM postings").fetchall()
    for reader in READERS.values():
        with unlocked.stock.engine.content.store.open_session(reader) as reads:
            counts = reads.counts()
            words = tuple(word for (word,) in terms)
            assert counts_chunks(reads.search, words, counts["chunks"])
            found = through(reads, tuple(node for (node,) in ids), words)
        assert [secret for secret in unlocked.secrets(reader) if secret in found] == [], reader.id
        readable = unlocked.readable(reader)
        nodes = sum(count for kind, count in counts.items() if kind.startswith("nodes."))
        assert nodes == len(readable["document_nodes"])
        assert counts["chunks"] == len(readable["vector_chunks"])


def through(reads: ReaderSession, ids: tuple[str, ...], terms: tuple[str, ...]) -> str:
    """All that comes out of a reader's windows."""
    search, graph, texts = reads.search, reads.graph, reads.texts(plan_of(*ids))
    near = [
        search.nearest(vector("valve"), over=over, roll_up=roll_up, top=10_000)
        for over in OVERS
        for roll_up in (True, False)
    ]
    owners = [(one.term, one.owners) for one in scores_of(search, terms, roll_up=False)[:-1]]
    scores = [texts.chunk_scores(node) for node in ids]
    found = (
        (near, owners, search.definers(terms)),
        (search.node_similarities(vector("valve"), ids), search.kinds(ids)),
        (all_edges(graph, frozenset(RELATIONS)), graph.edges(ids, "out"), graph.edges(ids, "in")),
        (
            sorted(graph.inside(ids)),
            ungrouped(graph.candidates(ids)),
            ungrouped(graph.candidates(ids, None, frozenset(ids[::2]))),
        ),
        (graph.visible_ids(ids), graph.reference_counts(), graph.unresolved_calls()),
        (texts.concepts(ids), scores, [texts.chunks(some) for some in scores]),
        (texts.full_texts(ids), reads.versions(), list(reads.contents())),
    )
    return canonical(found).decode()


def test_a_table_without_row_security_is_detected(lock: SecondLock) -> None:
    """A check that cannot fail shows nothing."""
    for table in map(sql.Identifier, DERIVED):
        lock.owner.execute(sql.SQL("ALTER TABLE {} DISABLE ROW LEVEL SECURITY").format(table))
        with pytest.raises(AssertionError, match=table.as_string().strip('"')):
            lock.visible_rows(READERS["rosa"])
        lock.owner.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(table))
