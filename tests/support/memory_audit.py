"""An audit log in memory, where a test needs no file."""

from collections.abc import Sequence

from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict
from tests.support.memory_keys import MemoryKeys


class MemoryAudit:
    """Keeps rows; seals nothing."""

    def __init__(self) -> None:
        self.rows: list[AuditEvent] = []

    def write(self, event: AuditEvent) -> None:
        self.rows.append(event)

    def write_all(self, tenant: str, events: Sequence[AuditEvent]) -> None:
        self.rows += events

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        found = [
            AuditEntry(number, "now", event)
            for number, event in enumerate(self.rows, start=1)
            if event.tenant == tenant
            and principal in (None, event.principal, event.authenticated_by)
        ]
        return tuple(found if last is None else found[-last:])

    def principals(self, tenant: str) -> tuple[str, ...]:
        rows = [event for event in self.rows if event.tenant == tenant]
        names = {name for event in rows for name in (event.principal, event.authenticated_by)}
        return tuple(sorted(names - {""}))

    def seal(self, tenant: str) -> Anchor | None:
        return None

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        return AuditVerdict(len(self.rows), 0, ())


def administration(engine: Engine) -> Administration:
    """Of the engine's store."""
    return Administration(engine.content.store, MemoryAudit(), MemoryKeys())
