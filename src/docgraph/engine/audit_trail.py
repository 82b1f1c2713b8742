"""Whoever asks leaves a row in the audit log, and one more for what they were denied."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from docgraph.model.access import Principal
from docgraph.model.audit import ANSWERED, BEGUN, DENIED, FAILED, AuditEvent
from docgraph.model.errors import NotAllowed, NotVisible
from docgraph.model.snapshot import Scope, SnapshotName
from docgraph.ports.audit import AuditLog
from docgraph.ports.tracer import Fact

MOST_NAMED = 20  # ids in one row
LONGEST = 1_000  # characters in one row


@dataclass(slots=True)
class AuditNote:
    """What is known of a question once it was answered."""

    plan: str = ""
    snapshots: tuple[SnapshotName, ...] = ()
    detail: str = ""
    unseen: tuple[str, ...] = ()
    refused: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)

    def asked_of(self, scope: Scope) -> None:
        self.snapshots = scope.snapshots

    def missing(self, asked: Iterable[str], found: Iterable[str]) -> None:
        """Ids that gave nothing: forbidden or absent, nobody can tell which."""
        seen = set(found)
        self.unseen = tuple(node for node in dict.fromkeys(asked) if node not in seen)

    def facts(self, principal: Principal) -> dict[str, Fact]:
        """Who asked what of what, by id, digest and count."""
        scope = tuple(f"{s.repository}@{s.branch}:{s.snapshot}" for s in self.snapshots)
        return {
            "docgraph.tenant": principal.tenant,
            "docgraph.principal": principal.id,
            "docgraph.plan": self.plan,
            "docgraph.snapshots": scope[:MOST_NAMED],
            "docgraph.unseen": len(self.unseen),
            **{f"docgraph.{what}": count for what, count in self.counts.items()},
        }


@contextmanager
def audited_action(
    log: AuditLog,
    principal: Principal,
    action: str,
    *,
    right: str | None = None,
    changes: str | None = None,
    silently: bool = False,
) -> Iterator[AuditNote]:
    """Nothing is answered of which no row was written; what failed leaves one too.

    `right` is what it needs. Where it `changes` something, a row that says what comes before it:
    a change whose row cannot be written is not made. `silently` leaves no row when all is well.
    """
    note = AuditNote(detail=changes or "")
    try:
        if right is not None:
            principal.require(right)
        if changes is not None:
            log.write(_event(principal, action, BEGUN, note, changes))
        yield note
    except (NotVisible, NotAllowed) as error:
        log.write(_event(principal, action, DENIED, note, str(error)))
        raise
    except BaseException as error:
        log.write(_event(principal, action, FAILED, note, type(error).__name__))
        raise
    if note.unseen:
        named = ", ".join(note.unseen[:MOST_NAMED])
        more = len(note.unseen) - MOST_NAMED
        told = f"not visible: {named}" + (f" and {more} more" if more > 0 else "")
        log.write(_event(principal, action, DENIED, note, told))
    if note.refused:
        log.write(_event(principal, action, DENIED, note, note.refused))
    if not silently:
        log.write(_event(principal, action, ANSWERED, note, note.detail))


def _event(
    principal: Principal, action: str, outcome: str, note: AuditNote, detail: str
) -> AuditEvent:
    """What was asked for may be as long as its asker likes; a row may not."""
    cut = detail if len(detail) <= LONGEST else f"{detail[:LONGEST]}…"
    return AuditEvent(
        tenant=principal.tenant,
        principal=principal.id,
        by=principal.by,
        action=action,
        outcome=outcome,
        plan=note.plan,
        snapshots=note.snapshots,
        detail=cut,
    )
