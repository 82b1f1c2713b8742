"""Access classes: every distinct rule is one row that never changes; its number stays inside."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from docgraph.adapters.sql.access_rows import rule_to_json
from docgraph.adapters.sql.database import load_queries
from docgraph.adapters.sql.visibility import Visibility
from docgraph.adapters.sqlite.database import SQLITE
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import EVERYONE, LOCAL, AccessRule
from docgraph.model.digest import canonical, plain
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from tests.interference.probes import everything, refusals_of
from tests.support.engines import make_engine
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_keys import MemoryKeys
from tests.support.memory_source import MemorySource
from tests.support.store_modules import folder

OURS = AccessRule(LOCAL, frozenset({LOCAL}))
ALL = AccessRule(LOCAL, frozenset({EVERYONE}))
THEIRS = AccessRule(LOCAL, frozenset({"others"}), frozenset({"board"}), level=2)
RULES = (OURS, ALL, THEIRS)
FILES = {
    "a.md": "# Rocket\n\nFuel and thrust, as [said](h.md) by Marie Curie.\n",
    "h.md": "# Landing Pad\n\nThe rocket of Marie Curie.\n",
    "pkg/f.py": "def launch_window():\n    return 1\n",
}
CONSPICUOUS = 7_654_000  # a number that is nothing else in any answer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def engine(path: Path) -> Engine:
    store = SqliteStore(path, now=lambda: "now", wait=5)
    return make_engine(store)


def ingest(engine: Engine, files: dict[str, str], rule_for: Callable[[str], AccessRule]) -> None:
    source = MemorySource(files)
    engine.content.ingest(local(), source, repository="r", branch="main", rule_for=rule_for)


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


def classes(path: Path) -> dict[int, str]:
    with raw(path) as connection:
        return dict(connection.execute("SELECT id, rule FROM access_classes").fetchall())


def class_of(path: Path, document: str) -> int:
    with raw(path) as connection:
        found = connection.execute("SELECT access_class FROM documents WHERE path = ?", (document,))
        return int(found.fetchone()[0])


def test_a_thousand_documents_of_three_rules_make_three_classes(engine: Engine, path: Path) -> None:
    files = {f"{number}.md": f"# {number}\n" for number in range(1000)}
    ingest(engine, files, lambda name: RULES[int(name.removesuffix(".md")) % 3])
    assert sorted(classes(path).values()) == sorted(map(rule_to_json, RULES))
    assert engine.content.status(local()).counts["nodes.document"] == 667


def test_a_changed_rule_points_to_another_class_and_no_class_changes(
    engine: Engine, path: Path
) -> None:
    ingest(engine, FILES, lambda _: OURS)
    before, ours = classes(path), class_of(path, "a.md")
    ingest(engine, FILES, lambda name: THEIRS if name == "a.md" else OURS)
    after = classes(path)
    assert before.items() < after.items()
    assert after[class_of(path, "a.md")] == rule_to_json(THEIRS)
    assert class_of(path, "h.md") == ours
    ingest(engine, FILES, lambda _: OURS)
    assert classes(path) == after
    assert class_of(path, "a.md") == ours


def test_no_statement_of_the_store_changes_or_removes_a_class(engine: Engine, path: Path) -> None:
    done: set[tuple[int, str]] = set()

    def record_table(action: int, table: str | None, *_: str | None) -> int:
        done.add((action, table or ""))
        return sqlite3.SQLITE_OK

    with raw(path) as connection:
        for name in ("compress", "decompress"):
            connection.create_function(name, 1, bytes)
        connection.set_authorizer(record_table)
        for sql in writing_statements():
            names = dict.fromkeys(re.findall(r":(\w+)", sql))
            connection.execute(f"EXPLAIN {sql}", names or (None,) * sql.count("?"))
    changes = (sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
    assert {(change, "documents") for change in changes} <= done
    assert (sqlite3.SQLITE_INSERT, "access_classes") in done
    assert not {(change, "access_classes") for change in changes} & done


OTHER_FILES = (
    *("audit", "audit_schema", "server", "server_schema"),  # not of the store's own file
    *("overrides", "document_relationships"),  # parts of other texts
)


def writing_statements() -> Iterator[str]:
    """Of every file that does not read views, and is of the store's own file."""
    for file in sorted([*folder("sql").glob("queries/*.sql"), *folder("sqlite").glob("*.sql")]):
        if file.stem not in OTHER_FILES:
            for sql in load_queries(SQLITE, file.name).values():
                if not re.search(r"\b(visible|masked)_\w+", sql):
                    yield sql


def everything_shown(engine: Engine) -> str:
    """All that comes out of the store for someone who asks, or who administers."""
    reader, newest = local(), SnapshotName("r", "main", 1)
    found = engine.questions.retrieve(QuestionRequest(reader, load("documents"), "rocket fuel"))
    values = {kind.__name__: value for kind, value in found.run.values.items()}
    output = (
        plain(values),
        found.to_saved_plan(),
        found.run.trace,
        engine.questions.execute(reader, found.to_saved_plan(), load("documents")).context,
        engine.content.status(reader),
        engine.content.snapshots(reader),
        engine.content.diff_snapshots(reader, newest, newest),
        Administration(engine.content.store, MemoryAudit(), MemoryKeys()).documents(reader),
    )
    return (canonical(output) + everything(engine, reader) + refusals_of(engine, reader)).decode()


def numbers_in(output: str, path: Path) -> set[int]:
    known = classes(path).keys()
    return {int(number) for number in re.findall(r"(?<![0-9a-f])\d{7}(?![0-9a-f])", output)} & known


@pytest.fixture
def conspicuous(engine: Engine, path: Path) -> Engine:
    """Its classes have numbers that nothing else has."""
    with raw(path) as connection:
        add = "INSERT INTO access_classes (id, rule, checksum) VALUES (?, ?, 0)"
        connection.execute(add, (CONSPICUOUS, rule_to_json(AccessRule("nobody"))))
    ingest(engine, FILES, lambda name: RULES[sorted(FILES).index(name)])
    assert sorted(classes(path)) == [CONSPICUOUS + at for at in range(4)]
    return engine


def test_class_numbers_never_leave_the_store(conspicuous: Engine, path: Path) -> None:
    assert numbers_in(everything_shown(conspicuous), path) == set()


def test_a_leaked_class_number_is_detected(
    conspicuous: Engine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A leak planted on purpose: the reason why a document is readable names its class."""
    monkeypatch.setattr(Visibility, "read_reason", lambda self, at: f"class {self.rows.access[at]}")
    assert numbers_in(everything_shown(conspicuous), path)
