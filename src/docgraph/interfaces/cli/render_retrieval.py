"""Renders plans, traces and relations for a terminal."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from docgraph.interfaces.cli.console import out
from docgraph.model.edge import MANUAL, EdgeEvidence, Relationship
from docgraph.model.evidence import NO_SEEDS
from docgraph.model.node import document_of
from docgraph.model.plan import Expansion
from docgraph.pipeline.request import MAX_QUESTION_CHARACTERS

if TYPE_CHECKING:
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.pipeline.retrieval import Retrieval, SavedPlan


def show_plan(saved: "SavedPlan") -> None:
    """The plan as a tree: seeds, and below each what its edges admit."""
    plan = saved.plan
    question = escape(plan.question or "of explicit ids")
    tree = Tree(f"[bold]plan {plan.digest[:12]}[/bold] {question}")
    place = {node: index for index, node in enumerate(plan.order, start=1)}
    branches: dict[str, Tree] = {}
    for seed in plan.seed_documents:
        branches[seed] = tree.add(f"[cyan]{place[seed]}. {escape(seed)}[/cyan]  seed")
    for found in plan.expanded_documents:
        arrow = "<-" if found.backwards else "->"
        name = f"[green]{place[found.document_id]}. {escape(found.document_id)}[/green]"
        holder = _holder(found, branches)
        branches[found.document_id] = branches.get(holder, tree).add(f"{arrow} {found.via}  {name}")
    for limit, count in Counter(cut.limit for cut in plan.cut).items():
        tree.add(f"[dim]{count} more reached, left out by {escape(limit)}[/dim]")
    left = [n for n in plan.constraints.selection.dropped if document_of(n) not in plan.documents]
    if left:
        reason = escape(plan.constraints.selection.reason)
        tree.add(f"[dim]{len(left)} found, left out of scope: {reason}[/dim]")
    if not plan.order:
        tree.add(NO_SEEDS)
    out.print(tree)


def _holder(found: Expansion, branches: Mapping[str, Tree]) -> str:
    """The planned node that the edge leaves, or the one that contains it."""
    here = found.target if found.backwards else found.source
    inside = (n for n in branches if here == n or here.startswith((f"{n}#", f"{n}::", f"{n}.")))
    return next(inside, "")


def show_why(found: "Retrieval") -> None:
    context = found.context
    if context.reason:
        out.print(f"[bold]{escape(context.reason)}[/bold]")
    for item in context.items:
        name = f"[{item.number}]" if item.number else item.layer
        where = item.location.cite() if item.number else item.document_id
        out.print(f"[cyan]{escape(name)} {escape(where)}[/cyan]")
        why = item.why
        out.print(f"    {escape(why.rule)}; {escape(why.access)}; {escape(why.budget)}")
    for omitted in context.omitted:
        out.print(f"[dim]left out {escape(omitted.id)}: {escape(omitted.reason)}[/dim]")
    for step in found.run.trace.steps:
        name = f"{step.action} (implicit)" if step.implicit else step.action
        made, digest = step.output
        out.print(f"[dim]{name:<22} {made:<20} {digest[:12]} {step.milliseconds:7.1f} ms[/dim]")


def show_relations(visit: Callable[[Callable[[Relationship], None]], None]) -> None:
    """Each one is printed when `visit` comes to it."""
    counted = 0

    def show(known: Relationship) -> None:
        nonlocal counted
        counted += 1
        out.print(format_relation(known))

    visit(show)
    out.print(f"{counted} relation{'' if counted == 1 else 's'}")


def format_relation(known: Relationship) -> str:
    """An edge, its origins, and the first position that shows it."""
    edge = known.edge
    shown = [e.text if MANUAL in known.origins else _place(e) for e in known.evidence]
    more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
    place = f": {shown[0]}{more}" if shown else ""
    name = f"{escape(edge.source)} ->[green]{edge.relation}[/green]-> {escape(edge.target)}"
    return f"{name}  [dim]{', '.join(known.origins)}{escape(place)}[/dim]"


def _place(evidence: EdgeEvidence) -> str:
    return f"{evidence.path}:{evidence.line}" if evidence.line else evidence.path


def show_pipeline(pipeline: "Pipeline") -> None:
    out.print(f"[bold]{escape(pipeline.name)}[/bold] is sound ({pipeline.digest[:12]})")
    for number, step in enumerate(pipeline.steps, start=1):
        options = ", ".join(f"{name}: {_as_yaml(value)}" for name, value in step.options.items())
        implicit = " (put in: no step before the next makes a plan)" if step.action.implicit else ""
        out.print(f"{number}. {step.action.name}{implicit} {escape('{' + options + '}')}")


def _as_yaml(value: object) -> str:
    """As in a pipeline file."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_as_yaml, value))}]"
    return value if isinstance(value, str) else json.dumps(value)


def show_measures(found: Mapping[str, Any]) -> None:
    """Means side by side, and the gain of planning with its 95 % interval."""
    columns = {f"flat {mode}": measures for mode, measures in found["flat"].items()}
    columns["planned"] = found["planned"]
    table = Table("", box=None, pad_edge=False, header_style="bold")
    for name in (*columns, "gain over the best flat"):
        table.add_column(name, justify="right")
    for name in found["planned"]:
        means = (f"{measures[name]:g}" for measures in columns.values())
        table.add_row(name, *means, _gain(found["gain"].get(name)))
    out.print(table)
    out.print(_question_counts(found["questions"]))


def _gain(gain: Mapping[str, Any] | None) -> str:
    if gain is None:
        return ""
    return f"{gain['mean']:+g} ({gain['low']:+g} to {gain['high']:+g})"


def _question_counts(counts: Mapping[str, int]) -> str:
    shown = [f"{counts['evaluated']} of {counts['total']} questions evaluated"]
    for name, words in (
        ("left_out", "left out"),
        ("unjudged", "without a judgement"),
        ("beyond_limit", "beyond --limit"),
        ("truncated", f"truncated to {MAX_QUESTION_CHARACTERS:,} characters"),
    ):
        if counts[name]:
            shown.append(f"{counts[name]} {words}")
    return ", ".join(shown)
