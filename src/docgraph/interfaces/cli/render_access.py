"""Renders access rules, people and API keys for a terminal."""

from rich.table import Table

from docgraph.interfaces.cli.render_retrieval import escaped, out
from docgraph.model.access import AccessStatement, ApiKey, Person
from docgraph.model.access_policy import MANUAL, ManualRule, PathAccess


def show_rules(found: tuple[PathAccess, ...]) -> None:
    if not found:
        out.print("no documents")
        return
    table = Table("document", "branch", "who may read", "by")
    for one in found:
        table.add_row(
            escaped(f"{one.repository}:{one.path}"),
            escaped(one.branch or "-"),
            escaped(one.rule.describe()),
            escaped(deciders(one)),
        )
    out.print(table)


def deciders(one: PathAccess) -> str:
    manual = one.manual
    if manual is not None and (manual.rule is not None or manual.closed):
        return MANUAL
    words = [source_position(word) for word in one.statements] + (
        [MANUAL] if manual is not None else []
    )
    return " and ".join(words) or "nobody says who may"


def show_decision(found: tuple[PathAccess, ...]) -> None:
    for one in found:
        where = f"on {one.branch}" if one.branch else "in no snapshot any more"
        out.print(f"[bold]{escaped(one.repository)}:{escaped(one.path)}[/bold] {escaped(where)}")
        out.print(f"  may be read by {escaped(one.rule.describe())}")
        for line in _manual_lines(one.manual):
            out.print(f"  {escaped(line)}")
        if len(one.statements) > 1:
            out.print("  by its files, readers admitted by all of these:")
        for word in one.statements:
            asked = f" {word.text}" if word.text else ""
            out.print(
                f"  {escaped(source_position(word) + asked)}: {escaped(word.rule.describe())}"
            )
        if not one.statements and one.manual is None:
            out.print("  nobody says who may read it")


def _manual_lines(manual: ManualRule | None) -> list[str]:
    if manual is None:
        return []
    lines = []
    if manual.rule is not None:
        lines.append(f"manual rule, in place of what files say: {manual.rule.describe()}")
    if manual.closed:
        lines.append("manually revoked from everyone")
    elif manual.revoked:
        lines.append(f"manually revoked from {', '.join(sorted(manual.revoked))}")
    return lines


def show_people(found: tuple[Person, ...]) -> None:
    if not found:
        out.print("nobody yet; add someone with: docgraph principals add NAME --group GROUP")
        return
    table = Table("name", "groups", "labels", "clearance", "rights")
    for person in found:
        lists = (person.groups, person.labels, person.rights)
        groups, labels, rights = (escaped(" ".join(sorted(names))) for names in lists)
        table.add_row(escaped(person.id), groups, labels, str(person.clearance), rights)
    out.print(table)


def show_keys(found: tuple[ApiKey, ...]) -> None:
    if not found:
        out.print("no API keys yet; give one out with: docgraph keys add NAME")
        return
    table = Table("id", "for", "created", "expires", "note")
    for key in found:
        table.add_row(
            key.id, escaped(key.principal), key.created, key.expires or "never", escaped(key.note)
        )
    out.print(table)


def source_position(word: AccessStatement) -> str:
    """`access.yaml:7`, `front matter:2 of branch main`."""
    name, _, branch = word.source.partition(" of branch ")
    line = f":{word.line}" if word.line else ""
    return f"{name}{line}" + (f" of branch {branch}" if branch else "")
