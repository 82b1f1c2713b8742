"""What people see of why a node is in a context, or why not."""

import json

from docgraph.doors.cli.show import out, said
from docgraph.model.why_not import Change, Value, WhyNot


def show_why_not(found: WhyNot) -> None:
    name = said(found.node)
    if found.stage == "not visible":
        out.print(f"[bold]{name}[/bold]: {found.words}")
        return
    state = "is in the context" if found.stage == "there" else f"fell out at: {found.stage}"
    out.print(f"[bold]{name}[/bold] {state}")
    for step in found.steps:
        mark = "[green]in [/green]" if step.inside else "[yellow]out[/yellow]"
        out.print(f"  {mark} {step.action:<22} {said(step.words)}")
    for item in found.shown:
        why = item.why
        out.print(f"  {said(f'[{item.number}]')} {said(item.id)}")
        out.print(f"      {said(why.rule)}; {said(why.access)}; {said(why.budget)}")
    if found.remedy:
        out.print(said(found.remedy) + (":" if found.change else ""))
    for change in found.change:
        out.print(f"  {said(_told(change))}")


def _told(change: Change) -> str:
    """As a pipeline file that extends this one would say it, or the command line."""
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
