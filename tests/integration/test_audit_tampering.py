"""Whatever is done to an audit log, `verify` says so in words, up to the last anchor."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.audit import SqliteAudit
from docgraph.model.audit import DENIED, Anchor, AuditVerdict
from docgraph.model.audit_chain import NOTHING, sealed
from docgraph.model.errors import StoreError
from tests.support.audit_logs import EVENT, anchored, fill, log_on, raw

COLUMNS = ("time", "principal", "asker", "action", "outcome", "plan", "snapshots", "detail")
TRIGGERS = tuple(
    f"{table}_{rule}"
    for table in ("entries", "seals")
    for rule in ("follow_each_other", "stay", "stay_as_they_are")
)
PUT_IN = (
    "INSERT INTO entries SELECT tenant, {number}, time, 'eve', '', action, outcome, plan,"
    " snapshots, detail FROM entries WHERE number = 1"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db.audit"


@pytest.fixture
def log(path: Path) -> SqliteAudit:
    return log_on(path)


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """One that takes the triggers off, and puts them back so that nothing looks amiss."""
    with raw(path) as connection:
        made = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        triggers = made.fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)


def tampered(path: Path, *statements: str) -> None:
    with unguarded(path) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount, statement


def seal_anew(path: Path) -> None:
    """The whole chain made again, over the same batches, by one who knows how."""
    rows = log_on(path).entries("t")
    with unguarded(path) as connection:
        ends = [end for (end,) in connection.execute("SELECT last FROM seals ORDER BY last")]
        connection.execute("DELETE FROM seals")
        before = NOTHING
        for end in ends:
            before = sealed([row for row in rows if before.last < row.number <= end], before)
            connection.execute(
                "INSERT INTO seals VALUES ('t', ?, ?, ?, ?)",
                (before.first, before.last, before.before, before.digest),
            )


@pytest.fixture
def anchor(log: SqliteAudit) -> Anchor:
    """250 rows: sealed up to 100 and 200 by themselves, up to 250 by hand."""
    fill(log, 250)
    return anchored(log)


@pytest.mark.requirement(40)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("number", [1, 137, 250])
def test_a_changed_field_is_found(
    log: SqliteAudit, path: Path, anchor: Anchor, column: str, number: int
) -> None:
    value = DENIED if column == "outcome" else "[[["
    tampered(path, f"UPDATE entries SET {column} = '{value}' WHERE number = {number}")
    (problem,) = log.verify("t").problems
    first, last = {1: (1, 100), 137: (101, 200), 250: (201, 250)}[number]
    assert problem.startswith(f"rows {first} to {last} are not what was sealed")


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    ("statements", "problems"),
    [
        (["DELETE FROM entries WHERE number = 137"], ["row 137 is missing"]),
        (["DELETE FROM entries WHERE number > 240"], ["rows 241 to 250 are missing"]),
        (["DELETE FROM entries"], ["rows 1 to 100", "rows 101 to 200", "rows 201 to 250"]),
        (
            [
                "UPDATE entries SET number = -1 WHERE number = 7",
                "UPDATE entries SET number = 7 WHERE number = 9",
                "UPDATE entries SET number = 9 WHERE number = -1",
            ],
            ["rows 1 to 100 are not what was sealed"],
        ),
        (
            [
                "UPDATE entries SET number = -number WHERE number >= 137",
                "UPDATE entries SET number = 1 - number WHERE number < 0",
                PUT_IN.format(number=137),
            ],
            ["rows 101 to 200 are not", "rows 201 to 250 are not"],
        ),
        ([PUT_IN.format(number=0)], ["row 0 was put in"]),
        (["UPDATE entries SET detail = CAST(x'ff' AS TEXT) WHERE number = 1"], ["rows 1 to 100"]),
        (["UPDATE seals SET digest = before WHERE last = 200"], ["rows 101", "does not follow"]),
        (["UPDATE seals SET before = '' WHERE last = 200"], ["does not follow", "rows 101"]),
        (["UPDATE seals SET last = 9e18 WHERE last = 250"], ["rows 251 to 9", "none covers over"]),
        (["DELETE FROM seals WHERE last = 100"], ["the seal over rows 1 to 100 is missing"]),
        (["DELETE FROM seals WHERE last > 100"], ["150 rows after row 100 have no seal"]),
        (["DELETE FROM seals"], ["250 rows after row 0 have no seal"]),
        (["UPDATE entries SET tenant = 'u' WHERE number = 250"], ["row 250 is missing"]),
    ],
)
def test_what_was_done_to_the_file_is_said_in_words(
    log: SqliteAudit, path: Path, anchor: Anchor, statements: list[str], problems: list[str]
) -> None:
    assert log.verify("t", anchor) == AuditVerdict(250, 250, ())
    tampered(path, *statements)
    found = log.verify("t").problems
    assert len(found) == len(problems), found
    for problem, words in zip(found, problems, strict=True):
        assert words in problem
    log.entries("t")
    fill(log, 5)
    assert not log.verify("t").is_sound, "writing on heals nothing"


@pytest.mark.requirement(40)
def test_an_end_cut_off_with_its_seals_shows_at_the_anchor(
    log: SqliteAudit, path: Path, anchor: Anchor
) -> None:
    tampered(path, "DELETE FROM entries WHERE number > 200", "DELETE FROM seals WHERE last > 200")
    assert log.verify("t").is_sound, "nothing in the file tells"
    assert log.verify("t", anchor).problems == (
        "the log ends with row 200, but the anchor was made at row 250",
    )
    fill(log, 50)
    anchored(log)
    (problem,) = log.verify("t", anchor).problems
    assert problem.startswith("the seals up to row 250 are not those")


@pytest.mark.requirement(40)
def test_a_whole_chain_made_anew_shows_at_the_anchor(
    log: SqliteAudit, path: Path, anchor: Anchor
) -> None:
    seal_anew(path)
    assert log.verify("t", anchor).is_sound, "made anew over the same rows it is the same"
    tampered(path, "UPDATE entries SET principal = 'eve' WHERE number = 7")
    seal_anew(path)
    assert log.verify("t").is_sound, "nothing in the file tells"
    (problem,) = log.verify("t", anchor).problems
    assert problem.startswith("the seals up to row 250 are not those that the anchor was made of")


@pytest.mark.requirement(40)
def test_a_log_that_was_removed_shows_at_the_anchor_and_the_next_row_begins_a_new_one(
    log: SqliteAudit, path: Path, anchor: Anchor
) -> None:
    path.unlink()
    assert log.verify("t") == AuditVerdict(0, 0, ())
    assert not log.verify("t", anchor).is_sound
    log.write(EVENT)
    assert [row.number for row in log_on(path).entries("t")] == [1]
    assert not log_on(path).verify("t", anchor).is_sound


def test_an_anchor_of_another_tenant_proves_nothing(log: SqliteAudit, anchor: Anchor) -> None:
    fill(log, 250, tenant="u")
    (problem,) = log.verify("u", anchor).problems
    assert "is of the tenant 't'" in problem


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_a_trigger_that_is_gone_is_missed(log: SqliteAudit, path: Path, trigger: str) -> None:
    log.write(EVENT)
    with raw(path) as connection:
        connection.execute(f"DROP TRIGGER {trigger}")
    assert log.verify("t") == AuditVerdict(1, 0, (f"the trigger {trigger} is missing",))


def test_a_trigger_that_swallows_rows_is_found(log: SqliteAudit, path: Path) -> None:
    log.write(EVENT)
    with raw(path) as connection:
        connection.execute(
            "CREATE TRIGGER quiet BEFORE INSERT ON entries WHEN NEW.principal = 'eve'"
            " BEGIN SELECT RAISE(IGNORE); END"
        )
    assert log.verify("t").problems == ("the trigger quiet was put in",)


def test_a_table_that_was_made_anew_is_found(log: SqliteAudit, path: Path) -> None:
    log.write(EVENT)
    with raw(path) as connection:
        connection.execute("ALTER TABLE entries RENAME COLUMN detail TO details")
    problems = log.verify("t").problems
    assert "the table entries is not as docgraph made it" in problems
    with pytest.raises(StoreError, match="not as docgraph made it: no such column: detail"):
        log.entries("t")
