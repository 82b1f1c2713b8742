"""Renders access rules, people and API keys for a terminal."""

from rich.markup import escape
from rich.table import Table

from docgraph.interfaces.cli.console import out
from docgraph.model.access import AccessStatement, ApiKey, Person
from docgraph.model.access_policy import MANUAL, ManualRule, PathAccess
from docgraph.model.snapshot import BranchSource


def show_rules(found: tuple[PathAccess, ...]) -> None:
    if not found:
        out.print("no documents")
        return
    table = Table("document", "branch", "who may read", "by")
    for one in found:
        table.add_row(
            escape(f"{one.repository}:{one.path}"),
            escape(one.branch or "-"),
            escape(one.rule.describe()),
            escape(deciders(one)),
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
        out.print(f"[bold]{escape(one.repository)}:{escape(one.path)}[/bold] {escape(where)}")
        out.print(f"  may be read by {escape(one.rule.describe())}")
        for line in _manual_lines(one.manual):
            out.print(f"  {escape(line)}")
        if len(one.statements) > 1:
            out.print("  by its files, readers admitted by all of these:")
        for word in one.statements:
            asked = f" {word.text}" if word.text else ""
            out.print(f"  {escape(source_position(word) + asked)}: {escape(word.rule.describe())}")
        if not one.statements and one.manual is None:
            out.print("  nobody says who may read it")
        for version in one.older:
            which = (
                f"snapshot {version.first}"
                if version.first == version.last
                else f"snapshots {version.first} to {version.last}"
            )
            out.print(f"  the version of {which}: {escape(version.rule.describe())}")


def show_branch_sources(found: tuple[BranchSource, ...]) -> None:
    if not found:
        out.print("no branches")
        return
    table = Table("repository", "branch", "filled from")
    for one in found:
        source = "a program" if one.source is None else one.source.describe()
        table.add_row(escape(one.repository), escape(one.branch), escape(source))
    out.print(table)


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
        groups, labels, rights = (escape(" ".join(sorted(names))) for names in lists)
        table.add_row(escape(person.id), groups, labels, str(person.clearance), rights)
    out.print(table)


def show_keys(found: tuple[ApiKey, ...]) -> None:
    if not found:
        out.print("no API keys yet; give one out with: docgraph keys add NAME")
        return
    table = Table("id", "for", "created", "expires", "note")
    for key in found:
        table.add_row(
            key.id, escape(key.principal), key.created, key.expires or "never", escape(key.note)
        )
    out.print(table)


def source_position(word: AccessStatement) -> str:
    """`access.yaml:7`, `front matter:2 of branch main`."""
    name, _, branch = word.source.partition(" of branch ")
    line = f":{word.line}" if word.line else ""
    return f"{name}{line}" + (f" of branch {branch}" if branch else "")
