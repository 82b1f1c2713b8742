"""Renders comparisons: replays, diffs, verdicts and explanations."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from docgraph.evaluation.expectations import Verdict
from docgraph.interfaces.cli.console import out
from docgraph.interfaces.cli.output import echo
from docgraph.model.context import Context
from docgraph.model.diff import RetrievalDiff
from docgraph.model.explanation import Explanation, OptionChange, Value

if TYPE_CHECKING:
    from docgraph.pipeline.receipt import Receipt
    from docgraph.pipeline.replay import ReplayResult
    from docgraph.pipeline.retrieval import Retrieval


def show_replay(found: "ReplayResult") -> None:
    """The recorded command's own output, byte for byte, or the difference; notes go to standard
    error."""
    if found.again is not None:
        _show_again(found.again)
        echo(f"the same: {found.steps} of {found.steps} steps", err=True, bold=True)
    if found.difference is not None:
        difference = found.difference
        step = f"step {difference.position} of {found.steps} ({difference.step})"
        echo(f"differs from {step} on: {difference.changed}", bold=True)
        echo(f"    {difference.why}")
    for note in found.notes:
        echo(f"note: {note}", err=True)


def _show_again(again: "Retrieval") -> None:
    if Context in again.run.values:
        from docgraph.interfaces.cli.render_context import show_context

        show_context(again.context)
    else:
        from docgraph.interfaces.cli.render_retrieval import show_plan

        show_plan(again.to_saved_plan())


def replay_as_data(found: "ReplayResult") -> dict[str, Any]:
    again = found.again
    return {
        "same": found.same,
        "difference": found.difference,
        "notes": found.notes,
        "steps": found.steps,
        "plan": again.plan if again else None,
        "context": again.run.values.get(Context) if again else None,
    }


def show_problems(receipt: "Receipt", problems: tuple[str, ...]) -> None:
    if not problems:
        echo(f"receipt {receipt.digest[:12]} is consistent")
    for problem in problems:
        echo(problem)


# The difference between two retrievals.


def show_retrieval_diff(found: RetrievalDiff) -> None:
    """The settings that differ, then what only one side has, then counts."""
    for one in found.settings:
        out.print(
            f"[dim]{escape(one.name)}: {escape(str(one.left))} -> {escape(str(one.right))}[/dim]"
        )
    for mark, documents in (("-", found.documents_lost), ("+", found.documents_gained)):
        for document in documents:
            out.print(f"{mark} {escape(document)}")
    for mark, edges in (("-", found.edges_lost), ("+", found.edges_gained)):
        for edge in edges:
            out.print(f"{mark} {escape(edge.source)} ->{edge.relation}-> {escape(edge.target)}")
    for mark, ids in (
        ("-", found.evidence_lost),
        ("+", found.evidence_gained),
        ("~", found.evidence_changed),
    ):
        for chunk in ids:
            out.print(f"{mark} evidence {escape(chunk)}")
    for share in found.tokens:
        out.print(f"~ {escape(share.name)}: {share.left} -> {share.right} tokens")
    out.print(_summary(found))


def _summary(found: RetrievalDiff) -> str:
    if not found.differs:
        return "no difference in what they give"
    moved = (
        f"documents gained {len(found.documents_gained)}, lost {len(found.documents_lost)}; "
        f"edges gained {len(found.edges_gained)}, lost {len(found.edges_lost)}"
    )
    left, right = found.total_tokens
    if left is None or right is None:
        return f"{moved}; {'the same context' if found.same_context else 'another context'}"
    evidence = (
        f"evidence gained {len(found.evidence_gained)}, lost {len(found.evidence_lost)}, "
        f"changed {len(found.evidence_changed)}"
    )
    return f"{moved}; {evidence}; tokens {left} -> {right} ({right - left:+d})"


# A test of retrieval; without rich, which takes long to load.


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        expected = verdict.expectation
        whom = f" (as {expected.as_})" if expected.as_ else ""
        echo("ok  " if verdict.passed else "FAIL", nl=False, fg=_colour(verdict))
        echo(f" {expected.question}{whom}  {verdict.tokens} tokens")
        for problem in verdict.problems:
            echo(f"       line {expected.line}: {problem}")
    failed = sum(not verdict.passed for verdict in verdicts)
    echo(f"{len(verdicts) - failed} as expected, {failed} not", bold=True)


def _colour(verdict: Verdict) -> str:
    return typer.colors.GREEN if verdict.passed else typer.colors.RED


# Why a node is in a context, or why not.


def show_why_not(found: Explanation) -> None:
    name = escape(found.node)
    state = "is in the context" if found.stage == "included" else f"was left out at: {found.stage}"
    out.print(f"[bold]{name}[/bold] {state}")
    for step in found.steps:
        mark = "[green]in [/green]" if step.included else "[yellow]out[/yellow]"
        out.print(f"  {mark} {step.action:<22} {escape(step.explanation)}")
    for item in found.items:
        why = item.why
        out.print(f"  {escape(f'[{item.number}]')} {escape(item.id)}")
        out.print(f"      {escape(why.rule)}; {escape(why.access)}; {escape(why.budget)}")
    if found.suggestion:
        out.print(escape(found.suggestion) + (":" if found.change else ""))
    for change in found.change:
        out.print(f"  {escape(_describe_change(change))}")


def _describe_change(change: OptionChange) -> str:
    """As it is written in a pipeline file that extends this one, or on the command line."""
    if change.action == "seeds":
        assert isinstance(change.new, tuple)
        return " ".join(f"--seed {node}" for node in change.new)
    if not change.option:
        return f"without: [{change.action}]"
    new, old = _in_yaml(change.new), _in_yaml(change.old)
    return f"{change.action}: {{{change.option}: {new}}}, which is {old} now"


def _in_yaml(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return value if isinstance(value, str) else json.dumps(value)
