"""What people see of the audit log in the terminal."""

from docgraph.doors.cli.show import out, said
from docgraph.model.audit import AuditEntry, AuditVerdict


def show_entries(entries: tuple[AuditEntry, ...]) -> None:
    """A line for each, whatever was asked."""
    for entry in entries:
        out.print(_line(entry))
    if not entries:
        out.print("no rows")


def _line(entry: AuditEntry) -> str:
    event = entry.event
    who = f"{event.principal} by {event.by}" if event.by else event.principal
    plan = f"plan {event.plan[:12]}" if event.plan else ""
    where = [f"{name.repository} {name.branch} {name.snapshot}" for name in event.snapshots]
    parts = (entry.time, who, event.action, event.outcome, plan, ", ".join(where), event.detail)
    return f"{entry.number:>6}  " + "  ".join(_in_line(part) for part in parts if part)


def _in_line(text: str) -> str:
    """Nobody may write a row into the list by asking for a name with a line break in it."""
    return said(
        "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    )


def show_verdict(found: AuditVerdict) -> None:
    for problem in found.problems:
        out.print(f"[red]wrong:[/red] {_in_line(problem)}")
    sealed = f"sealed up to row {found.sealed}" if found.sealed else "none sealed yet"
    out.print(f"rows {found.rows}, {sealed}{'' if found.problems else '; sound'}")
