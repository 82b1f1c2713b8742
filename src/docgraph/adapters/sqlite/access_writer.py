"""Writing who may read what: words are kept as they were said, rules are decided from them."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.access_rows import (
    rule_from_json,
    rule_to_json,
    told_from_json,
)
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.model.access import AccessRule, Spoken
from docgraph.model.access_decision import default_branch, in_force, inherited
from docgraph.model.access_lines import AccessLines

_SQL = named_queries(PACKAGE, "access.sql")


class AccessWriter:
    """Of one repository. Each method runs inside its caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, tenant: str, repository: str) -> None:
        self._connection = connection
        self._place = {"tenant": tenant, "repository": repository}
        self._tenant = tenant
        rows = self._run("branches_of_repository", **self._place).fetchall()
        self._branches = {name: number for number, name in rows}
        self._default = default_branch(self._branches)

    def _run(self, query: str, **values: object) -> sqlite3.Cursor:
        return self._connection.execute(_SQL[query], values)

    def told(self, branch: int) -> dict[str, str]:
        """As it is stored, by path."""
        return dict(self._run("told_in_branch", branch=branch).fetchall())

    def lines(self, branch: int) -> AccessLines | None:
        row = self._run("lines_of_branch", branch=branch).fetchone()
        return None if row is None else AccessLines.from_json(row[0])

    def say(self, branch: int, told: Mapping[str, str], lines: AccessLines | None) -> None:
        """What an ingest of a branch says. The default branch's words count on the others too."""
        before = self.lines(branch)
        if lines is None:
            self._run("drop_lines", branch=branch)
        else:
            self._run("set_lines", branch=branch, lines=lines.to_json())
        self._decide(branch, told)
        if branch != self._default_id:
            return
        known = self.told(branch)
        for other in self._branches.values():
            if other != branch:
                theirs = self.told(other)
                concerned = theirs.keys() & told.keys()
                if lines != before:
                    concerned |= theirs.keys() - known.keys()
                self._decide(other, {path: theirs[path] for path in sorted(concerned)})

    def set_by_hand(self, paths: Sequence[str], rule: AccessRule | None) -> None:
        for path in paths:
            if rule is None:
                self._run("drop_hand_rule", **self._place, path=path)
            else:
                self._run("set_hand_rule", **self._place, path=path, rule=rule_to_json(rule))
        for branch in self._branches.values():
            held = self.told(branch)
            self._decide(branch, {path: held[path] for path in paths if path in held})

    def words(self) -> "Words":
        """What counts beside a branch's own words, as of now."""
        rows = self._run("hand_rules", **self._place)
        by_hand = {path: rule_from_json(rule) for path, rule in rows}
        default = self._default_id
        if default is None or self._default is None:
            return Words(self._tenant, by_hand)
        told = self.told(default)
        return Words(self._tenant, by_hand, default, self._default, told, self.lines(default))

    @property
    def _default_id(self) -> int | None:
        return None if self._default is None else self._branches[self._default]

    def _decide(self, branch: int, told: Mapping[str, str]) -> None:
        words, classes = self.words(), set[str]()
        for path, own in told.items():
            spoken = (*told_from_json(own), *words.inherited(branch, path))
            rule = rule_to_json(in_force(self._tenant, spoken, words.by_hand.get(path)))
            if rule not in classes:
                self._run("add_class", rule=rule)
                classes.add(rule)
            self._run("point_document", branch=branch, path=path, told=own, rule=rule)


@dataclass(frozen=True, slots=True)
class Words:
    """Rules by hand, and what the default branch says."""

    tenant: str
    by_hand: Mapping[str, AccessRule]
    default: int | None = None
    name: str = ""
    told: Mapping[str, str] = field(default_factory=dict)
    lines: AccessLines | None = None

    def inherited(self, branch: int, path: str) -> tuple[Spoken, ...]:
        if self.default is None or branch == self.default:
            return ()
        told = told_from_json(self.told[path]) if path in self.told else None
        return inherited(self.tenant, path, self.name, told, self.lines)
