"""What people see of rules, people and keys in the terminal."""

from rich.table import Table

from docgraph.interfaces.cli.render_retrieval import out, said
from docgraph.model.access import AccessStatement, ApiKey, Person
from docgraph.model.access_policy import MANUAL, ManualRule, PathAccess


def show_rules(found: tuple[PathAccess, ...]) -> None:
    if not found:
        out.print("no documents")
        return
    table = Table("document", "branch", "who may read", "by")
    for one in found:
        table.add_row(
            said(f"{one.repository}:{one.path}"),
            said(one.branch or "-"),
            said(one.rule.describe()),
            said(deciders(one)),
        )
    out.print(table)


def deciders(one: PathAccess) -> str:
    hand = one.by_hand
    if hand is not None and (hand.rule is not None or hand.closed):
        return MANUAL
    words = [place(word) for word in one.told] + ([MANUAL] if hand is not None else [])
    return " and ".join(words) or "nobody says who may"


def show_decision(found: tuple[PathAccess, ...]) -> None:
    for one in found:
        where = f"on {one.branch}" if one.branch else "in no snapshot any more"
        out.print(f"[bold]{said(one.repository)}:{said(one.path)}[/bold] {said(where)}")
        out.print(f"  may be read by {said(one.rule.describe())}")
        for line in _by_hand(one.by_hand):
            out.print(f"  {said(line)}")
        if len(one.told) > 1:
            out.print("  by its files, who is let in by all of these:")
        for word in one.told:
            asked = f" {word.says}" if word.says else ""
            out.print(f"  {said(place(word) + asked)}: {said(word.rule.describe())}")
        if not one.told and one.by_hand is None:
            out.print("  nobody says who may read it")


def _by_hand(hand: ManualRule | None) -> list[str]:
    if hand is None:
        return []
    lines = []
    if hand.rule is not None:
        lines.append(f"set by hand, in place of what files say: {hand.rule.describe()}")
    if hand.closed:
        lines.append("revoked by hand from everyone")
    elif hand.revoked:
        lines.append(f"revoked by hand from {', '.join(sorted(hand.revoked))}")
    return lines


def show_people(found: tuple[Person, ...]) -> None:
    if not found:
        out.print("nobody yet; add someone with: docgraph principals add NAME --group GROUP")
        return
    table = Table("name", "groups", "labels", "clearance", "rights")
    for person in found:
        lists = (person.groups, person.labels, person.rights)
        groups, labels, rights = (said(" ".join(sorted(names))) for names in lists)
        table.add_row(said(person.id), groups, labels, str(person.clearance), rights)
    out.print(table)


def show_keys(found: tuple[ApiKey, ...]) -> None:
    if not found:
        out.print("no API keys yet; give one out with: docgraph keys add NAME")
        return
    table = Table("id", "for", "created", "expires", "note")
    for key in found:
        table.add_row(key.id, said(key.person), key.created, key.expires or "never", said(key.note))
    out.print(table)


def place(word: AccessStatement) -> str:
    """`access.yaml:7`, `front matter:2 of branch main`."""
    name, _, branch = word.source.partition(" of branch ")
    line = f":{word.line}" if word.line else ""
    return f"{name}{line}" + (f" of branch {branch}" if branch else "")
