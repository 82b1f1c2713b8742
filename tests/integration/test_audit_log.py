"""The audit log in its file: what is written reads back, is sealed, and stays."""

import os
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.audit import SqliteAudit
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.model.audit import DENIED, Anchor, AuditVerdict
from docgraph.model.audit_chain import SEAL_EVERY
from docgraph.model.errors import StoreError, WrongSchema
from tests.support.audit_logs import EVENT, anchored, fill, log_on, raw


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db.audit"


@pytest.fixture
def log(path: Path) -> SqliteAudit:
    return log_on(path)


@pytest.mark.requirement(40)
def test_a_row_reads_back_as_it_was_written(log: SqliteAudit) -> None:
    denied = replace(EVENT, principal="bob", by="ann", outcome=DENIED, plan="", snapshots=())
    log.write(EVENT)
    log.write(denied)
    first, second = log.entries("t")
    assert (first.number, first.event) == (1, EVENT)
    assert (second.number, second.event) == (2, denied)
    assert first.time < second.time


def test_the_newest_rows_stand_last_and_can_be_asked_by_who_asked(log: SqliteAudit) -> None:
    for number in range(6):
        who, by = (("ann", ""), ("bob", ""), ("bob", "ann"))[number % 3]
        log.write(replace(EVENT, principal=who, by=by, detail=f"q{number}"))

    def told(last: int | None = None, principal: str | None = None) -> list[str]:
        return [row.event.detail for row in log.entries("t", last=last, principal=principal)]

    assert told() == ["q0", "q1", "q2", "q3", "q4", "q5"]
    assert told(last=2) == ["q4", "q5"]
    assert told(last=0) == []
    assert told(principal="ann") == ["q0", "q2", "q3", "q5"]
    assert told(principal="bob", last=3) == ["q2", "q4", "q5"]
    assert told(principal="eve") == []


def test_any_text_can_be_written(log: SqliteAudit) -> None:
    odd = "a\x00b\n'; DROP TABLE entries; -- \udc80 \U0001f511"
    for _ in range(2):
        log.write(replace(EVENT, tenant=odd, principal=odd, detail=odd))
    anchor = log.seal(odd)
    assert anchor is not None
    assert anchor.tenant == odd
    assert log.verify(odd, anchor) == AuditVerdict(2, 2, ())
    (row,) = log.entries(odd, last=1, principal=odd)
    assert row.event.detail == odd.replace("\udc80", "\\udc80")


def test_a_log_that_nobody_has_written_is_empty_and_no_file(log: SqliteAudit, path: Path) -> None:
    assert log.entries("t") == ()
    assert log.seal("t") is None
    assert log.verify("t") == AuditVerdict(0, 0, ())
    assert not log.verify("t", Anchor("t", 1, "0" * 64)).is_sound
    assert list(path.parent.iterdir()) == []


@pytest.mark.requirement(40)
def test_one_tenant_s_log_tells_nothing_about_another_s(log: SqliteAudit) -> None:
    fill(log, 3)
    alone = (log.entries("t"), log.verify("t"))
    fill(log, 2 * SEAL_EVERY, tenant="u")
    assert log.seal("nobody") is None
    log.write(replace(EVENT, detail="q3"))
    assert log.entries("t")[:3] == alone[0]
    assert [row.number for row in log.entries("t")] == [1, 2, 3, 4]
    assert alone[1] == AuditVerdict(3, 0, ())
    assert log.verify("t") == AuditVerdict(4, 0, ())
    assert anchored(log).last == 4


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_nobody_else_on_the_machine_can_read_the_file(log: SqliteAudit, path: Path) -> None:
    before = os.umask(0)
    try:
        log.write(EVENT)
    finally:
        os.umask(before)
    for file in path.parent.glob("*.audit*"):
        if file.suffix != ".lock":
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert path.exists()


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET principal = 'eve'",
        "UPDATE entries SET number = number + 1000",
        "DELETE FROM entries WHERE number = 1",
        "DELETE FROM entries",
        "INSERT OR REPLACE INTO entries SELECT * FROM entries WHERE number = 1",
        "INSERT INTO entries SELECT tenant, 999, '', '', '', '', outcome, '', '', '' FROM entries",
        "UPDATE seals SET digest = 'x'",
        "DELETE FROM seals",
        "INSERT OR REPLACE INTO seals SELECT * FROM seals",
        "INSERT INTO seals VALUES ('t', 900, 999, '', '')",
    ],
)
def test_the_file_itself_refuses_to_change_a_row(
    log: SqliteAudit, path: Path, statement: str
) -> None:
    fill(log, 3)
    anchor = anchored(log)
    with pytest.raises(sqlite3.IntegrityError, match="audit log"), raw(path) as connection:
        connection.execute(statement)
    assert log.verify("t", anchor) == AuditVerdict(3, 3, ())


def test_rows_are_sealed_once_enough_of_them_wait(log: SqliteAudit) -> None:
    fill(log, SEAL_EVERY - 1)
    assert log.verify("t").sealed == 0
    fill(log, 1)
    assert log.verify("t").sealed == SEAL_EVERY
    fill(log, 5)
    assert anchored(log).last == SEAL_EVERY + 5
    fill(log, SEAL_EVERY)
    assert log.verify("t") == AuditVerdict(2 * SEAL_EVERY + 5, 2 * SEAL_EVERY + 5, ())


def test_sealing_what_is_sealed_gives_the_same_anchor(log: SqliteAudit) -> None:
    fill(log, 3)
    assert anchored(log) == anchored(log)


@pytest.mark.requirement(40)
def test_an_anchor_holds_however_much_is_written_after_it(log: SqliteAudit) -> None:
    anchors = []
    for count in (3, SEAL_EVERY, 7):
        fill(log, count)
        anchors.append(anchored(log))
        fill(log, 1)
    for anchor in anchors:
        assert log.verify("t", anchor).problems == ()


@pytest.mark.parametrize("kind", ["text", "sqlite", "store", "empty"])
def test_another_file_is_refused_and_left_as_it_is(path: Path, kind: str) -> None:
    if kind == "store":
        SqliteStore(path, now=lambda: "now")
    elif kind == "sqlite":
        with raw(path) as connection:
            connection.execute("CREATE TABLE entries (a)")
    else:
        path.write_text("" if kind == "empty" else "a diary\n" * 1000)
    held = path.read_bytes()
    log = log_on(path)
    for use in (lambda: log.write(EVENT), lambda: log.entries("t"), lambda: log.verify("t")):
        with pytest.raises(StoreError, match="not a docgraph audit log"):
            use()
    assert path.read_bytes() == held


def test_a_file_put_in_the_log_s_place_is_refused_until_the_log_is_back(
    log: SqliteAudit, path: Path
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


def test_a_log_of_another_schema_is_refused(log: SqliteAudit, path: Path) -> None:
    log.write(EVENT)
    with raw(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(WrongSchema, match=r"schema 9; this docgraph reads schema 1\."):
        log_on(path).write(EVENT)


def test_a_damaged_log_is_told_so(log: SqliteAudit, path: Path) -> None:
    fill(log, 500)
    with raw(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    page = 4096
    with path.open("r+b") as file:
        file.seek(8 * page)
        file.write(b"\xaa" * 4 * page)
    with pytest.raises(StoreError, match="this audit log is damaged"):
        log_on(path).verify("t")


def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        log_on(tmp_path / "file" / "store.db.audit").write(EVENT)


def test_what_an_interrupted_beginning_left_behind_is_no_part_of_the_log(
    log: SqliteAudit, path: Path
) -> None:
    fill(log_on(path.with_name("other.audit")), 3)
    for rest in ("-wal", ".new", ".new-wal", ".new-journal"):
        Path(f"{path}{rest}").write_bytes(path.with_name("other.audit").read_bytes())
    log.write(EVENT)
    assert log.verify("t") == AuditVerdict(1, 0, ())
