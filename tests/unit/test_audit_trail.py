"""Every question leaves a row."""

import pytest

from docgraph.engine.audit_trail import LONGEST, MOST_NAMED, audited_action
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import Person
from docgraph.model.audit import AuditEvent
from docgraph.model.errors import BadInput, DocgraphError, NotAuthorized, NotVisible, StoreFull
from docgraph.model.snapshot import SnapshotName
from tests.support.memory_audit import MemoryAudit

HERE = SnapshotName("r", "main", 3)


@pytest.mark.requirement(40)
def test_an_answer_is_logged_with_principal_question_plan_and_snapshots() -> None:
    log = MemoryAudit()
    with audited_action(log, impersonated(Person("ann", "local"), local()), "retrieve") as note:
        note.plan = "abc"
        note.snapshots = (HERE,)
        note.detail = "detail"
    assert log.rows == [
        AuditEvent("local", "ann", "local", "retrieve", "succeeded", "abc", (HERE,), "detail")
    ]


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    "error", [NotVisible("nothing there"), NotAuthorized("this needs a right")]
)
def test_a_denial_is_logged_with_its_reason(error: DocgraphError) -> None:
    log = MemoryAudit()
    with pytest.raises(type(error)), audited_action(log, local(), "status"):
        raise error
    assert [(row.outcome, row.detail) for row in log.rows] == [("denied", str(error))]


@pytest.mark.requirement(40)
def test_a_failure_is_logged_without_the_question() -> None:
    log = MemoryAudit()
    with pytest.raises(BadInput), audited_action(log, local(), "retrieve"):
        raise BadInput("the question is …")
    assert [(row.outcome, row.detail) for row in log.rows] == [("failed", "BadInput")]


@pytest.mark.requirement(40)
def test_ids_that_gave_nothing_leave_a_row_of_their_own() -> None:
    log = MemoryAudit()
    with audited_action(log, local(), "retrieve") as note:
        note.missing(("r:a", "r:b", "r:b", "r:c"), ("r:a",))
    assert [(row.outcome, row.detail) for row in log.rows] == [
        ("denied", "not visible: r:b, r:c"),
        ("succeeded", ""),
    ]


def test_a_row_has_a_maximum_length() -> None:
    log = MemoryAudit()
    with audited_action(log, local(), "retrieve") as note:
        note.missing([f"r:{number}" for number in range(MOST_NAMED + 5)], ())
    assert log.rows[0].detail.endswith(f"r:{MOST_NAMED - 1} and 5 more")
    with pytest.raises(NotVisible), audited_action(log, local(), "retrieve"):
        raise NotVisible("x" * 10 * LONGEST)
    assert len(log.rows[-1].detail) == LONGEST + 1


class FullLog(MemoryAudit):
    def write(self, event: AuditEvent) -> None:
        raise StoreFull(f"no space for {event.action}")


@pytest.mark.requirement(40)
def test_without_a_row_there_is_no_answer() -> None:
    def ask() -> str:
        with audited_action(FullLog(), local(), "retrieve"):
            return "the answer"

    with pytest.raises(StoreFull):
        ask()
