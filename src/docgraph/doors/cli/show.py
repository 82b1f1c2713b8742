"""What people see in the terminal. Machines get --json."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from docgraph.model.context import Context
from docgraph.model.edge import Relationship
from docgraph.model.seeds import Seeds

if TYPE_CHECKING:
    from docgraph.engine import Retrieval, Status
    from docgraph.ingest.run import IngestResult
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.pipeline.saved_plan import SavedPlan

out = Console(highlight=False, soft_wrap=True)


def show_seeds(seeds: Seeds) -> None:
    if not seeds.ranked:
        out.print("nothing visible matches")
        return
    table = _table("", "seed", "score", "why")
    for place, seed in enumerate(seeds.ranked, start=1):
        table.add_row(str(place), escape(seed.id), f"{seed.score:.4f}", escape(seed.why))
    out.print(table)
    if seeds.selection.dropped:
        out.print(f"scope: {escape(seeds.selection.reason)}")
        out.print(f"left out: {escape(', '.join(seeds.selection.dropped))}")


def show_plan(saved: "SavedPlan") -> None:
    """The plan as a small tree: seeds, and below each what its edges let in."""
    plan = saved.plan
    tree = Tree(f"[bold]plan {plan.digest[:12]}[/bold] {escape(plan.question)}")
    place = {node: index for index, node in enumerate(plan.order, start=1)}
    branches: dict[str, Tree] = {}
    for seed in plan.seed_documents:
        branches[seed] = tree.add(f"[cyan]{place[seed]}. {escape(seed)}[/cyan] seed")
    for found in plan.expanded_documents:
        here = found.target if found.backwards else found.sender
        holder = next(
            (n for n in branches if here == n or here.startswith((f"{n}#", f"{n}::"))), ""
        )
        arrow = "<-" if found.backwards else "->"
        label = f"{arrow} {found.via} [green]{place[found.document_id]}. "
        label += f"{escape(found.document_id)}[/green]"
        branches[found.document_id] = branches.get(holder, tree).add(label)
    limits: dict[str, int] = {}
    for cut in plan.cut:
        limits[cut.limit] = limits.get(cut.limit, 0) + 1
    for limit, count in limits.items():
        tree.add(f"[dim]{count} more reached, left out by {limit}[/dim]")
    if plan.constraints.selection.dropped:
        tree.add(f"[dim]scope: {escape(plan.constraints.selection.reason)}[/dim]")
    if not plan.order:
        tree.add("nothing visible matches")
    out.print(tree)


def show_context(context: Context) -> None:
    if context.reason:
        out.print(f"[bold]{escape(context.reason)}[/bold]")
    out.print(escape(context.text), end="")
    shares = ", ".join(f"{share.document} {share.tokens}" for share in context.documents)
    out.print(f"[dim]{context.tokens} of {context.max_tokens} tokens; {escape(shares)}[/dim]")


def show_why(found: "Retrieval") -> None:
    context = found.context
    if context.reason:
        out.print(f"[bold]{escape(context.reason)}[/bold]")
    table = _table("", "item", "rule", "access", "budget")
    for item in context.items:
        name = f"[{item.number}]" if item.number else item.layer
        where = item.location.cite() if item.number else item.document
        why = item.why
        table.add_row(
            escape(name), escape(where), escape(why.rule), escape(why.access), escape(why.budget)
        )
    out.print(table)
    for omitted in context.omitted:
        out.print(f"[dim]left out: {escape(omitted.id)}: {escape(omitted.reason)}[/dim]")
    for step in found.run.trace.steps:
        name = f"{step.action} (implicit)" if step.implicit else step.action
        made, digest = step.output
        out.print(f"[dim]{name:<24} {made} {digest[:12]} {step.milliseconds:.1f} ms[/dim]")


def show_relations(found: tuple[Relationship, ...]) -> None:
    table = _table("source", "relation", "target", "origin", "shown at")
    for known in found:
        edge = known.edge
        places = [f"{e.path}:{e.line}" for e in known.evidence]
        shown = (
            places[0] + (f" and {len(places) - 1} more" if len(places) > 1 else "")
            if places
            else ""
        )
        table.add_row(
            escape(edge.source),
            edge.relation,
            escape(edge.target),
            ", ".join(known.origins),
            escape(shown),
        )
    out.print(table)
    out.print(f"{len(found)} relations")


def show_pipeline(pipeline: "Pipeline") -> None:
    out.print(f"[bold]{escape(pipeline.name)}[/bold] is sound ({pipeline.digest[:12]})")
    for number, step in enumerate(pipeline.steps, start=1):
        options = ", ".join(f"{name}: {value}" for name, value in step.options.items())
        implicit = " (put in: nothing before it makes a plan)" if step.action.implicit else ""
        out.print(f"{number}. {step.action.name}{implicit} {escape('{' + options + '}')}")


def show_status(status: "Status") -> None:
    if not status.scope.snapshots:
        out.print("nothing visible")
        return
    for name in status.scope.snapshots:
        out.print(f"{escape(name.repository)} {escape(name.branch)} snapshot {name.snapshot}")
    for kind, count in status.counts.items():
        out.print(f"{count:>8} {kind}")
    if status.embedder:
        out.print(f"embedder {status.embedder.name} ({status.embedder.digest[:12]})")


def show_measures(found: Mapping[str, Any]) -> None:
    rows = {f"flat {mode}": measures for mode, measures in found["flat"].items()}
    rows["planned"] = found["planned"]
    table = _table("", *found["planned"])
    for name, measures in rows.items():
        table.add_row(name, *(f"{value:g}" for value in measures.values()))
    out.print(table)


def show_ingest(result: "IngestResult", *, brief: bool) -> None:
    out.print(escape(result.summary()))
    if brief:
        return
    for problem in result.problems:
        out.print(f"[yellow]not used: {escape(problem.path)}: {escape(problem.reason)}[/yellow]")


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar with the time left on standard error; called with (what, done, of)."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True), disable=not shown, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def update(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=of)
            bar.update(tasks[what], completed=done, total=of)

        yield update


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
