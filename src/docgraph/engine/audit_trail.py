"""Every request leaves a row in the audit log, and one more for what it was denied."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from docgraph.model.access import Principal
from docgraph.model.audit import DENIED, FAILED, STARTED, SUCCEEDED, AuditEvent
from docgraph.model.errors import NotAuthorized, NotVisible
from docgraph.model.snapshot import SnapshotName, SnapshotSelector
from docgraph.ports.audit import AuditLog
from docgraph.ports.store import ReaderSession, Store
from docgraph.ports.tracer import NO_TRACER, Fact, Tracer

MOST_NAMED = 20  # ids in one row
LONGEST = 1_000  # characters in one row


@dataclass(slots=True)
class AuditNote:
    """What is known of a request once it was answered."""

    plan: str = ""
    snapshots: tuple[SnapshotName, ...] = ()
    detail: str = ""
    unseen: tuple[str, ...] = ()
    refused: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)

    def missing(self, requested: Iterable[str], visible: Iterable[str]) -> None:
        """Ids that gave nothing: forbidden or absent, nobody can tell which."""
        seen = set(visible)
        self.unseen = tuple(node for node in dict.fromkeys(requested) if node not in seen)

    @property
    def denied(self) -> str:
        """The unseen ids, as a row names them."""
        named = ", ".join(self.unseen[:MOST_NAMED])
        more = len(self.unseen) - MOST_NAMED
        return f"not visible: {named}" + (f" and {more} more" if more > 0 else "")

    def facts(self, principal: Principal) -> dict[str, Fact]:
        """The span's attributes: ids, digests and counts."""
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
    """Nothing is answered of which no row was written; a failure leaves one too.

    `right` is what the action needs. `changes` describes a change; its row is written before the
    change is made, so that no change goes without one. `silently` leaves no row on success.
    """
    note = AuditNote(detail=changes or "")
    try:
        if right is not None:
            principal.require(right)
        if changes is not None:
            log.write(_event(principal, action, STARTED, note, changes))
        yield note
    except (NotVisible, NotAuthorized) as error:
        detail = note.denied if isinstance(error, NotVisible) and note.unseen else str(error)
        log.write(_event(principal, action, DENIED, note, detail))
        raise
    except BaseException as error:
        log.write(_event(principal, action, FAILED, note, type(error).__name__))
        raise
    if note.unseen:
        log.write(_event(principal, action, DENIED, note, note.denied))
    if note.refused:
        log.write(_event(principal, action, DENIED, note, note.refused))
    if not silently:
        log.write(_event(principal, action, SUCCEEDED, note, note.detail))


def _event(
    principal: Principal, action: str, outcome: str, note: AuditNote, detail: str
) -> AuditEvent:
    """A request may be of any length; a row may not."""
    cut = detail if len(detail) <= LONGEST else f"{detail[:LONGEST]}…"
    return AuditEvent(
        tenant=principal.tenant,
        principal=principal.id,
        authenticated_by=principal.by,
        action=action,
        outcome=outcome,
        plan=note.plan,
        snapshots=note.snapshots,
        detail=cut,
    )


@dataclass(frozen=True, slots=True)
class AuditTrail:
    """A row in the audit log for each action, and a span of it for operators."""

    log: AuditLog
    tracer: Tracer = NO_TRACER

    @contextmanager
    def record(
        self,
        principal: Principal,
        action: str,
        *,
        right: str | None = None,
        changes: str | None = None,
    ) -> Iterator[AuditNote]:
        with (
            self.tracer.span(f"docgraph {action}") as span,
            audited_action(self.log, principal, action, right=right, changes=changes) as note,
        ):
            yield note
            if span.recording:
                span.set(note.facts(principal))

    @contextmanager
    def read(
        self, store: Store, principal: Principal, action: str, scope: Sequence[SnapshotSelector]
    ) -> Iterator[tuple[ReaderSession, AuditNote]]:
        """One reader's session and the note of its action."""
        with (
            self.record(principal, action) as note,
            open_session(store, principal, scope, note) as reads,
        ):
            yield reads, note


@contextmanager
def open_session(
    store: Store, principal: Principal, scope: Sequence[SnapshotSelector], note: AuditNote
) -> Iterator[ReaderSession]:
    """The note names the snapshots that are read."""
    with store.open_session(principal, scope) as reads:
        note.snapshots = reads.scope.snapshots
        yield reads
