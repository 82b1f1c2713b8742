"""Renders ingests, snapshots, counts, verification and the audit log for a terminal."""

from collections import Counter
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from docgraph.interfaces.cli.console import out
from docgraph.interfaces.cli.render_retrieval import format_relation
from docgraph.interfaces.terminal import escape_line
from docgraph.model.audit import AuditEntry, AuditVerdict
from docgraph.model.diff import SnapshotDiff
from docgraph.model.edge import RelationCounts
from docgraph.model.embedding_state import COMPLETE
from docgraph.model.snapshot import SnapshotInfo, VerifyReport

if TYPE_CHECKING:
    from docgraph.ingest.result import IngestResult
    from docgraph.model.snapshot import Status


_SHOWN = 5


def show_status(status: "Status") -> None:
    for ingest in status.ingests:
        out.print(f"an ingest is running: {escape(ingest.describe())}")
    if not status.scope.snapshots:
        out.print("nothing visible")
        return
    states = {(one.repository, one.branch): f"; {one.describe()}" for one in status.source_states}
    for name in status.scope.snapshots:
        state = states.get((name.repository, name.branch), "")
        place = f"{escape(name.repository)} {escape(name.branch)}"
        out.print(f"{place} snapshot {name.snapshot}{state}")
    for kind, count in status.counts.items():
        out.print(f"{count:>8} {kind}")
    if status.embedder:
        model = f"{escape(status.embedder.name)} ({status.embedder.digest[:12]})"
        out.print(f"embedder {model}, embeddings {status.embeddings.describe()}")


def show_ingest(result: "IngestResult", *, brief: bool) -> None:
    made = result.snapshot
    name = f"snapshot {made.snapshot} of {made.repository} {made.branch}" if made else "no change"
    moved = f" ({len(result.renamed)} of them renamed)" if result.renamed else ""
    out.print(
        f"{escape(name)}: documents added {result.added}{moved}, changed {result.changed}, "
        f"removed {result.removed}, unchanged {result.unchanged}; "
        f"written: nodes {result.nodes}, chunks {result.chunks}"
    )
    if result.references:
        out.print(_references(result))
    if embeddings := _embeddings(result):
        out.print(embeddings)
    if changes := result.access.describe():
        out.print(f"access: {escape(changes)}")
    if brief:
        return
    for lost in result.unresolved[:_SHOWN]:
        out.print(f"[dim]not found: {escape(lost.what)} ({escape(lost.path)}:{lost.line})[/dim]")
    if len(result.unresolved) > _SHOWN:
        out.print(f"[dim]and {len(result.unresolved) - _SHOWN} more; see --json[/dim]")
    for suffix, count in result.skipped:
        out.print(f"[dim]skipped {count} x {escape(suffix)}: no reader for it[/dim]")
    for remark in result.remarks:
        out.print(f"[yellow]odd: {escape(remark.path)}: {escape(remark.reason)}[/yellow]")
    for problem in result.problems:
        out.print(f"[yellow]not used: {escape(problem.path)}: {escape(problem.reason)}[/yellow]")


def _embeddings(result: "IngestResult") -> str:
    """Nothing where the snapshot was published with all vectors."""
    state = result.embeddings.describe()
    if result.embedding_snapshot is not None:
        return f"embeddings {state} with snapshot {result.embedding_snapshot.snapshot}"
    if result.embeddings.name == COMPLETE:
        return ""
    return f"embeddings {state}; until they are complete, words, names and relations answer"


def _references(result: "IngestResult") -> str:
    """References in the ingested texts, by relation."""
    resolved: Counter[str] = Counter()
    unresolved: Counter[str] = Counter()
    for one in result.references:
        resolved[one.relation] += one.resolved
        unresolved[one.relation] += one.unresolved
    lost = result.missing + unresolved.total()
    by_relation = f" ({_counts(unresolved)})" if lost and len(+unresolved) > 1 else ""
    named = _counts(resolved) or "none"
    return f"relations named in them: {named}; targets not found: {lost}{by_relation}"


def _counts(found: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items()) if count)


def show_snapshots(found: tuple[SnapshotInfo, ...]) -> None:
    if not found:
        out.print("nothing visible")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = ("repository", "branch", "snapshot", "created", "commit", "embeddings", "documents")
    for name in columns:
        table.add_column(name, justify="right" if name in {"snapshot", "documents"} else "left")
    for info in found:
        made = f"{info.revision[:12]} {info.ref}".strip()
        where = (escape(info.name.repository), escape(info.name.branch), str(info.name.snapshot))
        table.add_row(
            *where, escape(info.created), escape(made) or "-", info.embeddings, str(info.documents)
        )
    out.print(table)


def show_diff(found: SnapshotDiff) -> None:
    for name, ids in (("+", found.added), ("-", found.removed), ("~", found.changed)):
        for document in ids:
            out.print(f"{name} {escape(document)}")
    for name, edges in (("+", found.gained), ("-", found.lost)):
        for edge in edges:
            out.print(f"{name} {escape(edge.source)} ->{edge.relation}-> {escape(edge.target)}")
    out.print(
        f"documents added {len(found.added)}, removed {len(found.removed)}, "
        f"changed {len(found.changed)}; relations gained {len(found.gained)}, "
        f"lost {len(found.lost)}"
    )


def show_verified(found: VerifyReport, digest: str | None) -> None:
    for problem in found.problems:
        out.print(f"[red]wrong:[/red] {escape(problem)}")
    looked = ", ".join(f"{name} {count}" for name, count in found.checked)
    out.print(f"looked at: {looked}")
    if digest is not None:
        out.print(f"sound; what you see has the digest {digest[:16]}")


def show_counts(found: RelationCounts) -> None:
    """By origin and relation, each with a few examples."""
    for one in found.by_origin:
        references = f"{one.unresolved} reference{'' if one.unresolved == 1 else 's'}"
        lost = f", {references} unresolved" if one.unresolved else ""
        edges = f"{one.edges} edge{'' if one.edges == 1 else 's'}"
        out.print(f"[bold]{escape(one.origin)}[/bold] {one.relation}: {edges}{lost}")
        for example in one.examples:
            out.print(f"    {format_relation(example)}")
    total = ", ".join(f"{relation} {count}" for relation, count in found.edges)
    out.print(f"edges by type: {total or 'none'}")
    if found.unresolved_calls:
        out.print(f"calls on objects of unknown type: {found.unresolved_calls} (never guessed)")


# The audit log.


def show_entries(entries: tuple[AuditEntry, ...]) -> None:
    """One line for each, also where a name holds a line break."""
    for entry in entries:
        out.print(_line(entry))
    if not entries:
        out.print("no rows")


def _line(entry: AuditEntry) -> str:
    event = entry.event
    by = event.authenticated_by
    who = f"{event.principal} by {by}" if by else event.principal
    plan = f"plan {event.plan[:12]}" if event.plan else ""
    where = [f"{name.repository} {name.branch} {name.snapshot}" for name in event.snapshots]
    parts = (entry.time, who, event.action, event.outcome, plan, ", ".join(where), event.detail)
    return f"{entry.number:>6}  " + "  ".join(_in_line(part) for part in parts if part)


def _in_line(text: str) -> str:
    """A name with a line break must not look like another row."""
    return escape(escape_line(text))


def show_verdict(found: AuditVerdict) -> None:
    for problem in found.problems:
        out.print(f"[red]wrong:[/red] {_in_line(problem)}")
    sealed = f"sealed up to row {found.sealed}" if found.sealed else "none sealed yet"
    out.print(f"rows {found.rows}, {sealed}{'' if found.problems else '; sound'}")
