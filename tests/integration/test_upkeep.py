"""Maintenance of the SQLite store: pruned rows leave the file, damage is found."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from docgraph.adapters.sql.checksums import row_checksum
from docgraph.adapters.sql.version_table import VersionTable
from docgraph.adapters.sqlite.reader_pool import ReaderGuard
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.model.edge import Edge
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import SnapshotName, SnapshotSelector
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.writes import SourceRevision
from tests.support.killable_ingest import engine_on
from tests.support.memory_audit import administration
from tests.support.memory_source import MemorySource

LOCAL_ONLY = AccessRule("local", frozenset({"local"}))
FIRST = {
    "a.md": "# Apples\n\nThe orchard keeps zanzibarine apples. See [pears](b.md).\n",
    "b.md": "# Pears\n\nGreen.\n\n## Storage\n\nCool and dark, beside the Apples.\n",
    "c.py": "from d import chill\n\n\ndef store():\n    return chill()\n",
    "d.py": "def chill():\n    return 4\n",
}
SECOND = {
    "a.md": "# Apples\n\nRed ones. See [pears](b.md).\n",
    "b.md": FIRST["b.md"],
    "c.py": FIRST["c.py"],
    "d.py": FIRST["d.py"],
}
THIRD = {path: text for path, text in SECOND.items() if path != "b.md"}


def take(
    engine: Engine,
    files: dict[str, str],
    branch: str = "main",
    rule: AccessRule = LOCAL_ONLY,
    origin: SourceRevision | None = None,
) -> None:
    engine.content.ingest(
        local(),
        MemorySource(files),
        repository="r",
        branch=branch,
        rule_for=lambda _: rule,
        origin=origin,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def engine(path: Path) -> Engine:
    made = engine_on(path)
    for files in (FIRST, SECOND, THIRD):
        take(made, files)
    return made


def raw(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            assert connection.execute(statement).rowcount, statement
    connection.close()


def bytes_of(path: Path) -> bytes:
    """The file and its log, as they lie there."""
    log = Path(f"{path}-wal")
    return path.read_bytes() + (log.read_bytes() if log.exists() else b"")


@pytest.mark.requirement(10)
def test_pruned_documents_are_no_longer_in_the_file(engine: Engine, path: Path) -> None:
    assert b"zanzibarine" in bytes_of(path)
    newest = engine.content.content_digest(local())
    pruned = administration(engine).prune(local(), "r", "main", keep=1)
    assert (pruned.snapshots, pruned.documents, pruned.texts) == (2, 2, 2)
    assert b"zanzibarine" not in bytes_of(path)
    assert b"Cool and dark" not in bytes_of(path)
    assert engine.content.content_digest(local()) == newest
    assert engine.content.store.verify().problems == ()
    with pytest.raises(NotVisible, match="in snapshot 1"):
        engine.content.status(local(), (SnapshotSelector("r", "main", 1),))
    assert [info.name.snapshot for info in engine.content.snapshots(local())] == [3]


@pytest.mark.requirement(10)
def test_a_kept_snapshot_answers_as_before_pruning(engine: Engine) -> None:
    selectors = (SnapshotSelector("r", "main", 2),)

    def answer() -> tuple[str, str, str]:
        asked = engine.questions.retrieve(
            QuestionRequest(local(), load("documents"), "How are pears kept?", scope=selectors)
        )
        return (
            engine.content.content_digest(local(), selectors),
            asked.plan.digest,
            asked.context.text,
        )

    before = answer()
    assert administration(engine).prune(local(), "r", "main", keep=2).snapshots == 1
    assert answer() == before
    take(engine, FIRST)
    assert answer() == before


@pytest.mark.requirement(10)
def test_documents_of_another_branch_are_not_pruned(engine: Engine, path: Path) -> None:
    take(engine, FIRST, branch="topic")
    administration(engine).prune(local(), "r", "main", keep=1)
    assert b"zanzibarine" in bytes_of(path)
    assert engine.content.store.verify().problems == ()
    asked = engine.questions.retrieve(
        QuestionRequest(
            local(), load("flat"), "zanzibarine apples", scope=(SnapshotSelector("r", "topic"),)
        )
    )
    assert "zanzibarine" in asked.context.text


def test_pruning_twice_and_pruning_nothing_change_nothing(engine: Engine) -> None:
    administration(engine).prune(local(), "r", "main", keep=1)
    again = administration(engine).prune(local(), "r", "main", keep=1)
    assert (again.snapshots, again.documents, again.texts, again.vectors) == (0, 0, 0, 0)
    with pytest.raises(NotVisible):
        administration(engine).prune(local(), "r", "nowhere", keep=1)
    with pytest.raises(BadInput, match="at least one"):
        engine.content.store.prune("local", "r", "main", 0)


@pytest.mark.requirement(8)
def test_deleting_is_verified_at_every_stage(engine: Engine) -> None:
    assert engine.content.store.verify().problems == ()
    plan = engine.questions.retrieve(
        QuestionRequest(local(), load("documents"), "How are pears kept?")
    ).plan
    assert "r:b.md" not in plan.order
    ends = [e for f in engine.content.relations(local()) for e in (f.edge.source, f.edge.target)]
    assert ends
    assert not any(end.startswith("r:b.md") for end in ends)


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("DELETE FROM documents WHERE path = 'c.py'", "nodes belong to no document"),
        ("DELETE FROM contents", "documents have no text"),
        ("DELETE FROM vectors", "chunks have the number of no vector"),
        ("DELETE FROM chunk_vectors", "chunks of embedded documents have no vector"),
        ("DELETE FROM node_vectors", "nodes of embedded documents have no vector"),
        ("DELETE FROM document_embeddings", "vectors belong to nothing that is embedded"),
        ("DELETE FROM segments", "postings belong to no segment"),
        ("DELETE FROM document_nodes WHERE id = 'r:c.py::store'", "chunks have no node"),
        ("DELETE FROM document_nodes WHERE id = 'r:b.md'", "nodes have no parent"),
        ("UPDATE vector_chunks SET end_offset = 100000", "chunks extend beyond"),
        ("UPDATE node_references SET node_suffix = '::nobody'", "references belong to no node"),
        ("UPDATE documents SET valid_to = 99 WHERE valid_to = 2", "documents have two versions"),
        ("DELETE FROM document_access", "documents have no access rule"),
        ("UPDATE postings SET chunks = x'04ffffff7f', frequencies = x'0101'", "do not fit"),
    ],
)
def test_damage_is_found(engine: Engine, path: Path, statement: str, wrong: str) -> None:
    raw(path, statement)
    assert any(wrong in problem for problem in engine.content.store.verify().problems)


def test_a_view_that_shows_removed_documents_is_detected(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof looks through the very views that readers use."""

    honest = ReaderGuard.bind

    def forgetful(
        self: ReaderGuard,
        rows: VersionTable,
        mask: npt.NDArray[np.bool_],
        snapshots: Mapping[int, int],
        embedded: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
    ) -> None:
        everything = np.ones_like(mask)
        honest(self, rows, everything, snapshots, (everything, embedded[1]))

    monkeypatch.setattr(ReaderGuard, "bind", forgetful)
    problems = engine.content.store.verify().problems
    for what in ("documents", "texts", "nodes", "chunks", "vectors", "definitions", "references"):
        assert any(f" {what}" in p and "of removed documents" in p for p in problems), what
    assert any("still leads to or from r:b.md" in problem for problem in problems)


def test_a_snapshot_names_its_commit_and_counts_what_its_reader_sees(engine: Engine) -> None:
    take(engine, THIRD, origin=SourceRevision("main", "c0ffee"))
    take(engine, {"x.md": "secret"}, branch="hidden", rule=AccessRule("local"))
    infos = engine.content.snapshots(local())
    assert [(i.name, i.documents, i.revision) for i in infos] == [
        (SnapshotName("r", "main", 1), 4, ""),
        (SnapshotName("r", "main", 2), 4, ""),
        (SnapshotName("r", "main", 3), 3, ""),
        (SnapshotName("r", "main", 4), 3, "c0ffee"),
    ]


def test_the_same_tree_at_another_commit_is_another_snapshot(engine: Engine) -> None:
    take(engine, THIRD, origin=SourceRevision("main", "c0ffee"))
    take(engine, THIRD, origin=SourceRevision("main", "c0ffee"))
    assert [info.name.snapshot for info in engine.content.snapshots(local())][-1] == 4


def test_two_snapshots_differ_by_documents_and_edges(engine: Engine) -> None:
    old, new = (SnapshotName("r", "main", number) for number in (1, 3))
    found = engine.content.diff_snapshots(local(), old, new)
    assert (found.added, found.removed, found.changed) == ((), ("r:b.md",), ("r:a.md",))
    assert Edge("r:a.md", "references", "r:b.md") in found.lost
    assert found.gained == ()
    back = engine.content.diff_snapshots(local(), new, old)
    assert (back.added, back.gained) == (found.removed, found.lost)
    assert engine.content.diff_snapshots(local(), new, new).changed == ()


@pytest.mark.requirement(9)
def test_pruning_does_not_disturb_a_reader_during_a_question(path: Path, engine: Engine) -> None:
    """And once it has its answer, nothing of what was pruned is left in the file's log."""
    old = (SnapshotSelector("r", "main", 1),)
    with engine.content.store.open_session(local(), old) as reads:
        before = list(reads.contents())
        administration(engine).prune(local(), "r", "main", keep=1)
        assert list(reads.contents()) == before
        assert Path(f"{path}-wal").stat().st_size
    assert not Path(f"{path}-wal").stat().st_size
    with pytest.raises(NotVisible):
        engine.content.status(local(), old)
    assert engine.content.store.verify().problems == ()


def test_verify_finds_a_rule_that_no_statement_gives(path: Path, engine: Engine) -> None:
    take(engine, FIRST)
    raw = sqlite3.connect(path)
    rule = '["local", ["everyone"], [], 0]'
    made = row_checksum("access_classes", {"rule": rule})
    raw.execute("INSERT INTO access_classes (rule, checksum) VALUES (?, ?)", (rule, made))
    raw.execute("UPDATE documents SET access_class = last_insert_rowid() WHERE path = 'a.md'")
    raw.commit()
    raw.close()
    assert engine.content.store.verify().problems == (
        "3 document versions with their access classes differ from their checksum",
        "r main: 1 documents have another rule than was decided",
    )
