"""The audit log: what is written reads back, is sealed, and stays."""

from dataclasses import replace
from pathlib import Path

import pytest

from docgraph.model.audit import DENIED, ROWS_PER_SEAL, Anchor, AuditVerdict
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import EVENT, AuditStorage, SqliteAuditStorage, fill, make_anchor

ODD = "a\x00b\n'; DROP TABLE entries; -- \udc80 \U0001f511 %s \\x00"


@pytest.mark.requirement(40)
def test_a_row_reads_back_as_it_was_written(log: AuditLog) -> None:
    denied = replace(
        EVENT, principal="bob", authenticated_by="ann", outcome=DENIED, plan="", snapshots=()
    )
    log.write(EVENT)
    log.write(denied)
    first, second = log.entries("t")
    assert (first.number, first.event) == (1, EVENT)
    assert (second.number, second.event) == (2, denied)
    assert first.time < second.time


def test_the_newest_rows_are_last_and_can_be_filtered_by_principal(log: AuditLog) -> None:
    for number in range(6):
        who, by = (("ann", ""), ("bob", ""), ("bob", "ann"))[number % 3]
        log.write(replace(EVENT, principal=who, authenticated_by=by, detail=f"q{number}"))

    def details(last: int | None = None, principal: str | None = None) -> list[str]:
        return [row.event.detail for row in log.entries("t", last=last, principal=principal)]

    assert details() == ["q0", "q1", "q2", "q3", "q4", "q5"]
    assert details(last=2) == ["q4", "q5"]
    assert details(last=0) == []
    assert details(principal="ann") == ["q0", "q2", "q3", "q5"]
    assert details(principal="bob", last=3) == ["q2", "q4", "q5"]
    assert details(principal="eve") == []


def test_any_text_can_be_written(log: AuditLog) -> None:
    for _ in range(2):
        log.write(replace(EVENT, tenant=ODD, principal=ODD, detail=ODD))
    anchor = log.seal(ODD)
    assert anchor is not None
    assert anchor.tenant == ODD
    assert log.verify(ODD, anchor) == AuditVerdict(2, 2, ())
    (row,) = log.entries(ODD, last=1, principal=ODD)
    assert row.event.detail == ODD.replace("\udc80", "\\udc80").replace("\x00", "\\x00")


def test_the_same_questions_make_the_same_rows_and_the_same_chain(
    place: AuditStorage, tmp_path: Path
) -> None:
    events = [
        replace(EVENT, principal=ODD, action=ODD, plan=ODD, detail=ODD),
        replace(EVENT, authenticated_by=ODD, snapshots=(SnapshotName(ODD, ODD, 2**40),)),
        *(replace(EVENT, detail=f"q{number}") for number in range(ROWS_PER_SEAL)),
    ]
    held = []
    for log in (place.log(), SqliteAuditStorage(tmp_path / "other.audit").log()):
        for event in events:
            log.write(event)
        held.append((log.entries("t"), make_anchor(log)))
    assert held[0] == held[1]
    assert len(held[0][0]) == len(events)


def test_a_log_without_rows_is_empty(log: AuditLog) -> None:
    assert log.entries("t") == ()
    assert log.seal("t") is None
    assert log.verify("t") == AuditVerdict(0, 0, ())
    assert not log.verify("t", Anchor("t", 1, "0" * 64)).is_sound


@pytest.mark.requirement(40)
def test_one_tenants_log_shows_nothing_of_anothers(log: AuditLog) -> None:
    fill(log, 3)
    alone = (log.entries("t"), log.verify("t"))
    fill(log, 2 * ROWS_PER_SEAL, tenant="u")
    assert log.seal("nobody") is None
    log.write(replace(EVENT, detail="q3"))
    assert log.entries("t")[:3] == alone[0]
    assert [row.number for row in log.entries("t")] == [1, 2, 3, 4]
    assert alone[1] == AuditVerdict(3, 0, ())
    assert log.verify("t") == AuditVerdict(4, 0, ())
    assert make_anchor(log).last == 4


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET principal = 'eve'",
        "UPDATE entries SET number = number + 1000",
        "DELETE FROM entries WHERE number = 1",
        "DELETE FROM entries",
        "INSERT INTO entries SELECT * FROM entries WHERE number = 1",
        "INSERT INTO entries SELECT 't', 999, '', '', '', '', outcome, '', '', '', 0 FROM entries",
        "UPDATE seals SET digest = 'x'",
        "DELETE FROM seals",
        "INSERT INTO seals SELECT * FROM seals",
        "INSERT INTO seals VALUES ('t', 900, 999, '', '')",
        "INSERT INTO seals VALUES ('t', 4, 3, '', '')",
    ],
)
def test_the_database_itself_refuses_to_change_a_row(
    place: AuditStorage, log: AuditLog, statement: str
) -> None:
    fill(log, 3)
    anchor = make_anchor(log)
    with pytest.raises(place.refusal, match="audit log"), place.raw() as run:
        run(statement)
    assert log.verify("t", anchor) == AuditVerdict(3, 3, ())


def test_rows_are_sealed_once_there_are_enough(log: AuditLog) -> None:
    fill(log, ROWS_PER_SEAL - 1)
    assert log.verify("t").sealed == 0
    fill(log, 1)
    assert log.verify("t").sealed == ROWS_PER_SEAL
    fill(log, 5)
    assert make_anchor(log).last == ROWS_PER_SEAL + 5
    fill(log, ROWS_PER_SEAL)
    assert log.verify("t") == AuditVerdict(2 * ROWS_PER_SEAL + 5, 2 * ROWS_PER_SEAL + 5, ())


def test_sealing_twice_gives_the_same_anchor(log: AuditLog) -> None:
    fill(log, 3)
    assert make_anchor(log) == make_anchor(log)


@pytest.mark.requirement(40)
def test_an_anchor_stays_valid_after_further_rows(log: AuditLog) -> None:
    anchors = []
    for count in (3, ROWS_PER_SEAL, 7):
        fill(log, count)
        anchors.append(make_anchor(log))
        fill(log, 1)
    for anchor in anchors:
        assert log.verify("t", anchor).problems == ()
