"""Whoever asks leaves a row in the audit log, and one more for what they were denied."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from docgraph.model.access import Principal
from docgraph.model.audit import AuditEvent
from docgraph.model.errors import NotAllowed, NotVisible
from docgraph.model.scope import Scope, SnapshotName
from docgraph.ports.audit import AuditLog

MOST_NAMED = 20  # ids in one row


@dataclass(slots=True)
class Note:
    """What is known of a question once it was answered."""

    plan: str = ""
    snapshots: tuple[SnapshotName, ...] = ()
    detail: str = ""
    unseen: tuple[str, ...] = ()

    def asked_of(self, scope: Scope) -> None:
        self.snapshots = scope.snapshots

    def missing(self, asked: Iterable[str], found: Iterable[str]) -> None:
        """Ids that gave nothing: forbidden or absent, nobody can tell which."""
        seen = set(found)
        self.unseen = tuple(node for node in dict.fromkeys(asked) if node not in seen)


@contextmanager
def audited(log: AuditLog, principal: Principal, action: str) -> Iterator[Note]:
    """Nothing is answered of which no row was written."""
    note = Note()

    def write(outcome: Literal["answered", "denied"], detail: str) -> None:
        log.write(
            AuditEvent(
                tenant=principal.tenant,
                principal=principal.id,
                by=principal.by,
                action=action,
                outcome=outcome,
                plan=note.plan,
                snapshots=note.snapshots,
                detail=detail,
            )
        )

    try:
        yield note
    except (NotVisible, NotAllowed) as error:
        write("denied", str(error))
        raise
    if note.unseen:
        named = ", ".join(note.unseen[:MOST_NAMED])
        more = len(note.unseen) - MOST_NAMED
        write("denied", f"not visible: {named}" + (f" and {more} more" if more > 0 else ""))
    write("answered", note.detail)
