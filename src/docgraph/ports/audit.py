"""The audit log: rows are added and sealed, never changed."""

from collections.abc import Sequence
from typing import Protocol

from docgraph.model.audit import Anchor, AuditEntry, AuditEvent, AuditVerdict


class AuditLog(Protocol):
    """Every tenant has rows, numbers and a chain of its own."""

    def write(self, event: AuditEvent) -> None:
        """Returns when the row is in the log. Waits for no ingest and no reader."""
        ...

    def write_all(self, tenant: str, events: Sequence[AuditEvent]) -> None:
        """Rows of one tenant in one transaction: all of them, or none."""
        ...

    def entries(
        self, tenant: str, *, last: int | None = None, principal: str | None = None
    ) -> tuple[AuditEntry, ...]:
        """The newest `last` of them, the newest at the end; a principal's are the requests that
        they made, and those that were made in their name."""
        ...

    def principals(self, tenant: str) -> tuple[str, ...]:
        """Who made a request, or in whose name one was made; sorted."""
        ...

    def seal(self, tenant: str) -> Anchor | None:
        """Seals the rows that have no seal yet. None where nothing was ever written."""
        ...

    def verify(self, tenant: str, anchor: Anchor | None = None) -> AuditVerdict:
        """Whether the rows are those that were written: all sealed ones, if the seals are
        unchanged; with an anchor, all up to it, even if the seals were replaced."""
        ...
