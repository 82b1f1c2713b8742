"""The audit log's file: who may read it, what takes its place, how it ends."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.server_tables import SqliteAuditLog
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.model.audit import AuditVerdict
from docgraph.model.errors import StoreError, WrongSchema
from tests.support.audit_logs import EVENT, SqliteAuditStorage, fill, make_anchor


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db.audit"


@pytest.fixture
def place(path: Path) -> SqliteAuditStorage:
    return SqliteAuditStorage(path)


@pytest.fixture
def log(place: SqliteAuditStorage) -> SqliteAuditLog:
    return place.log()


def test_a_log_without_rows_has_no_file(log: SqliteAuditLog, path: Path) -> None:
    assert log.entries("t") == ()
    assert log.seal("t") is None
    assert log.verify("t") == AuditVerdict(0, 0, ())
    assert list(path.parent.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_only_the_owner_can_read_the_file(log: SqliteAuditLog, path: Path) -> None:
    before = os.umask(0)
    try:
        log.write(EVENT)
    finally:
        os.umask(before)
    for file in path.parent.glob("*.audit*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert path.exists()


@pytest.mark.requirement(40)
@pytest.mark.parametrize("table", ["entries", "seals"])
def test_no_row_is_replaced(place: SqliteAuditStorage, log: SqliteAuditLog, table: str) -> None:
    fill(log, 3)
    anchor = make_anchor(log)
    with pytest.raises(sqlite3.IntegrityError, match="audit log"), place.raw() as run:
        run(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
    assert log.verify("t", anchor) == AuditVerdict(3, 3, ())


@pytest.mark.requirement(40)
def test_a_log_that_was_removed_shows_at_the_anchor_and_the_next_row_begins_a_new_one(
    place: SqliteAuditStorage, log: SqliteAuditLog, path: Path
) -> None:
    fill(log, 3)
    anchor = make_anchor(log)
    path.unlink()
    assert log.verify("t") == AuditVerdict(0, 0, ())
    assert not log.verify("t", anchor).is_sound
    log.write(EVENT)
    assert [row.number for row in place.log().entries("t")] == [1]
    assert not place.log().verify("t", anchor).is_sound


@pytest.mark.requirement(40)
def test_what_is_no_text_is_found_and_ends_no_reading(
    place: SqliteAuditStorage, log: SqliteAuditLog
) -> None:
    fill(log, 3)
    make_anchor(log)
    with place.unguarded() as run:
        run("UPDATE entries SET detail = CAST(x'ff' AS TEXT) WHERE number = 1")
    assert log.entries("t")[0].event.detail == "\\xff"
    (problem,) = log.verify("t").problems
    assert problem.startswith("rows 1 to 3 are not what was sealed")


@pytest.mark.parametrize("kind", ["text", "sqlite", "store", "empty"])
def test_another_kind_of_file_is_refused_and_left_unchanged(path: Path, kind: str) -> None:
    if kind == "store":
        SqliteStore(path, now=lambda: "now")
    elif kind == "sqlite":
        with SqliteAuditStorage(path).raw() as run:
            run("CREATE TABLE entries (a)")
    else:
        path.write_text("" if kind == "empty" else "a diary\n" * 1000)
    held = path.read_bytes()
    log = SqliteAuditStorage(path).log()
    for use in (lambda: log.write(EVENT), lambda: log.entries("t"), lambda: log.verify("t")):
        with pytest.raises(StoreError, match="not a docgraph audit log"):
            use()
    assert path.read_bytes() == held


def test_a_file_put_in_the_log_s_place_is_refused_until_the_log_is_back(
    log: SqliteAuditLog, path: Path
) -> None:
    log.write(EVENT)
    aside = path.rename(path.with_name("aside"))
    path.write_text("a diary\n" * 1000)
    for _ in range(2):
        with pytest.raises(StoreError, match="not a docgraph audit log"):
            log.write(EVENT)
    aside.replace(path)
    log.write(EVENT)
    assert log.entries("t")[-1].event == EVENT


def test_a_log_of_another_schema_is_refused(log: SqliteAuditLog, path: Path) -> None:
    log.write(EVENT)
    with SqliteAuditStorage(path).raw() as run:
        run("PRAGMA user_version = 9")
    with pytest.raises(WrongSchema, match=r"schema 9; this docgraph reads schema 3\. Move"):
        SqliteAuditStorage(path).log().write(EVENT)


def test_a_damaged_log_is_reported(log: SqliteAuditLog, path: Path) -> None:
    fill(log, 500)
    with SqliteAuditStorage(path).raw() as run:
        run("PRAGMA wal_checkpoint(TRUNCATE)")
    page = 4096
    with path.open("r+b") as file:
        file.seek(8 * page)
        file.write(b"\xaa" * 4 * page)
    with pytest.raises(StoreError, match="this audit log is damaged"):
        SqliteAuditStorage(path).log().verify("t")


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        SqliteAuditStorage(tmp_path / "file" / "store.db.audit").log().write(EVENT)


def test_remains_of_an_interrupted_creation_are_no_part_of_the_log(
    log: SqliteAuditLog, path: Path
) -> None:
    fill(SqliteAuditStorage(path.with_name("other.audit")).log(), 3)
    for rest in ("-wal", ".new", ".new-wal", ".new-journal"):
        Path(f"{path}{rest}").write_bytes(path.with_name("other.audit").read_bytes())
    log.write(EVENT)
    assert log.verify("t") == AuditVerdict(1, 0, ())
