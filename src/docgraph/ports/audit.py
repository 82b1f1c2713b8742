"""The audit log: rows are added and sealed, never changed."""

from typing import Protocol

from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict


class AuditLog(Protocol):
    """Every tenant has rows, numbers and a chain of its own."""

    def write(self, event: AuditEvent) -> None:
        """Returns when the row is in the log. No ingest and no reader is waited for."""
        ...

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        """The newest `last` of them, the newest at the end; a principal's are those that they
        asked, and those that were asked in their name."""
        ...

    def seal(self, tenant: str) -> Anchor | None:
        """Seals what waits for a seal. None where nothing was ever written."""
        ...

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        """Whether the rows are those that were written: all that are sealed, if the seals are
        still the old ones; all up to the anchor, whatever was done to the seals."""
        ...
