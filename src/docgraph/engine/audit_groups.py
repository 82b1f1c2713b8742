"""Audit rows that threads of a server write at the same moment share a transaction."""

import threading
from collections.abc import Sequence

from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from docgraph.ports.audit import AuditLog

MOST = 64  # rows of one transaction


class _Write:
    """`next_group` is what the thread of this row writes, if it is the first of a group."""

    def __init__(self, event: AuditEvent) -> None:
        self.event = event
        self.done = threading.Event()
        self.next_group: list[_Write] = []
        self.error: BaseException | None = None


class GroupedAuditLog:
    """While rows of a tenant are written, further ones wait, and are written together then.

    `write` returns once its row is in the log. If a transaction fails, the error is raised in all
    threads whose rows were in it. Nobody waits for rows that may come.
    """

    def __init__(self, log: AuditLog) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._waiting: dict[str, list[_Write]] = {}  # of tenants of which rows are being written

    def write(self, event: AuditEvent) -> None:
        own = _Write(event)
        with self._lock:
            waiting = self._waiting.get(event.tenant)
            if waiting is None:
                self._waiting[event.tenant] = []
                own.next_group = [own]
            else:
                waiting.append(own)
        if waiting is not None:
            own.done.wait()
        if own.next_group:
            self._write_group(event.tenant, own.next_group)
        if own.error is not None:
            raise own.error

    def _write_group(self, tenant: str, group: list[_Write]) -> None:
        try:
            self._log.write_all(tenant, [one.event for one in group])
        except BaseException as error:  # noqa: BLE001  each thread raises it
            for one in group:
                one.error = error
        finally:
            self._start_next(tenant)
            for one in group:
                one.done.set()

    def _start_next(self, tenant: str) -> None:
        with self._lock:
            waiting = self._waiting[tenant]
            group, self._waiting[tenant] = waiting[:MOST], waiting[MOST:]
            if not group:
                del self._waiting[tenant]
        if group:
            group[0].next_group = group
            group[0].done.set()

    def write_all(self, tenant: str, events: Sequence[AuditEvent]) -> None:
        self._log.write_all(tenant, events)

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        return self._log.entries(tenant, last=last, principal=principal)

    def principals(self, tenant: str) -> tuple[str, ...]:
        return self._log.principals(tenant)

    def seal(self, tenant: str) -> Anchor | None:
        return self._log.seal(tenant)

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        return self._log.verify(tenant, anchor)
