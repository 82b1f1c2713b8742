"""Threads of a server that write audit rows at the same moment share a transaction."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

from docgraph.engine.audit_groups import MOST, GroupedAuditLog
from docgraph.model.audit import AuditEvent
from docgraph.model.errors import StoreBusy, StoreError
from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import EVENT, AuditStorage


class HeldLog(GroupedAuditLog):
    """Of the log behind it, each transaction waits until the test lets it go on."""

    def __init__(self, log: AuditLog) -> None:
        super().__init__(self)
        self._stored = log
        self.begun = threading.Semaphore(0)
        self.may_go_on = threading.Semaphore(0)
        self.sizes: list[int] = []
        self.fails = False

    def write_all(self, tenant: str, events: Sequence[AuditEvent]) -> None:
        self.sizes.append(len(events))
        self.begun.release()
        assert self.may_go_on.acquire(timeout=60)
        if self.fails:
            raise StoreBusy("another process writes")
        self._stored.write_all(tenant, events)

    def waiting(self, tenant: str) -> int:
        with self._lock:
            return len(self._waiting.get(tenant, ()))


def named(name: str, tenant: str = "t") -> AuditEvent:
    return replace(EVENT, tenant=tenant, detail=name)


def write_while_one_is_written(
    held: HeldLog, pool: ThreadPoolExecutor, count: int
) -> "list[Future[None]]":
    """The first is being written; all others wait for it."""
    first = pool.submit(held.write, named("first"))
    assert held.begun.acquire(timeout=60)
    others = [pool.submit(held.write, named(str(number))) for number in range(count)]
    while held.waiting("t") < count:
        assert not first.done()
    return [first, *others]


@pytest.mark.requirement(40)
def test_rows_of_many_threads_are_all_in_the_log_when_their_writers_go_on(log: AuditLog) -> None:
    grouped = GroupedAuditLog(log)

    def work(name: str) -> None:
        for number in range(40):
            grouped.write(replace(named(str(number)), principal=name))
            newest = log.entries("t", last=1, principal=name)
            assert [row.event.detail for row in newest] == [str(number)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, [f"thread {number}" for number in range(8)]))
    rows = log.entries("t")
    assert [row.number for row in rows] == list(range(1, 321))
    assert log.verify("t").problems == ()


def test_rows_that_wait_share_a_transaction(log: AuditLog) -> None:
    held = HeldLog(log)
    with ThreadPoolExecutor(8) as pool:
        writes = write_while_one_is_written(held, pool, 5)
        held.may_go_on.release()
        assert held.begun.acquire(timeout=60)
        writes[0].result(60)
        assert not any(one.done() for one in writes[1:])
        assert [row.event.detail for row in log.entries("t")] == ["first"]
        held.may_go_on.release()
        for one in writes:
            one.result(60)
    assert held.sizes == [1, 5]
    assert {row.event.detail for row in log.entries("t")} == {"first", *map(str, range(5))}


def test_a_transaction_has_a_largest_size(log: AuditLog) -> None:
    held = HeldLog(log)
    with ThreadPoolExecutor(MOST + 8) as pool:
        writes = write_while_one_is_written(held, pool, MOST + 5)
        for _ in range(3):
            held.may_go_on.release()
        for one in writes:
            one.result(60)
    assert held.sizes == [1, MOST, 5]
    assert len(log.entries("t")) == MOST + 6


def test_a_failed_transaction_fails_each_of_its_requests_and_no_later_one(log: AuditLog) -> None:
    held = HeldLog(log)
    with ThreadPoolExecutor(8) as pool:
        writes = write_while_one_is_written(held, pool, 3)
        held.fails = True
        for _ in writes:
            held.may_go_on.release()
        for one in writes:
            with pytest.raises(StoreBusy):
                one.result(60)
    held.fails = False
    held.write(named("later"))
    assert [row.event.detail for row in log.entries("t")] == ["later"]


def test_a_row_that_the_log_does_not_take_takes_no_other_with_it(
    log: AuditLog, place: AuditStorage
) -> None:
    """All rows of a transaction are refused: none of them is in the log."""
    log.write(named("first"))
    with pytest.raises((StoreError, place.refusal)):
        log.write_all("t", [named("one"), replace(named("two"), outcome="unknown")])
    assert [row.event.detail for row in log.entries("t")] == ["first"]


def test_tenants_do_not_wait_for_each_other(log: AuditLog) -> None:
    held = HeldLog(log)
    with ThreadPoolExecutor(2) as pool:
        writes = [pool.submit(held.write, named("row", tenant)) for tenant in ("t", "other")]
        for _ in writes:
            assert held.begun.acquire(timeout=60)
        for _ in writes:
            held.may_go_on.release()
        for one in writes:
            one.result(60)
    assert held.sizes == [1, 1]
