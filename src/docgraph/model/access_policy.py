"""Who decides: one branch's words, the default branch's, and what was decided by hand."""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from docgraph.model.access import EVERYONE, AccessRule, AccessStatement, intersect_rules
from docgraph.model.digest import canonical
from docgraph.model.path_pattern import compiled, problem_of, tidy

# The lines of an access.yaml: which of them speaks on a path, and what it says.


SOURCE = "access.yaml"
NO_LINE = "no line matches"
_MEANT = frozenset({"access.yaml", "access.yml"})


def is_access_file(name: str) -> bool:
    """A file of this name was meant to hold rules: where it is misspelt, it is not absent."""
    return name.casefold() in _MEANT


@dataclass(frozen=True, slots=True)
class AccessFileRule:
    """A pattern that can be read, and a rule; what is `wrong` with the line makes it deny."""

    line: int
    pattern: str
    rule: AccessRule
    wrong: str = ""

    def __post_init__(self) -> None:
        if problem := problem_of(self.pattern):
            raise ValueError(problem)


@dataclass(frozen=True, slots=True)
class AccessFileRules:
    """In the file's order. `wrong` is what spoils the whole file, and stands in `wrong_line`."""

    lines: tuple[AccessFileRule, ...]
    wrong: str = ""
    wrong_line: int = 0

    def statement_for(self, tenant: str, path: str) -> AccessStatement:
        """The last line that matches. Where none does, and where one is wrong, nobody reads."""
        nobody = AccessRule(tenant)
        if self.wrong:
            return AccessStatement(SOURCE, self.wrong_line, self.wrong, nobody)
        place = tidy(path)
        for told in reversed(self.lines):
            pattern = compiled(told.pattern)
            if pattern.needle in place and pattern.match(place):
                rule = nobody if told.wrong else told.rule
                return AccessStatement(SOURCE, told.line, told.wrong or told.pattern, rule)
        return AccessStatement(SOURCE, 0, NO_LINE, nobody)

    def to_json(self) -> str:
        """Equal lines give equal text."""
        told = {"lines": self.lines, "wrong": self.wrong, "wrong_line": self.wrong_line}
        return canonical(told).decode("utf-8", "surrogatepass")

    @classmethod
    def from_json(cls, text: str) -> "AccessFileRules":
        """Text that `to_json` would not have written denies everything."""
        try:
            told = json.loads(text)
            lines = tuple(_line(line) for line in told["lines"])
            found = cls(lines, _text(told["wrong"]), _number(told["wrong_line"]))
            if found.to_json() == text:
                return found
        except (KeyError, TypeError, ValueError, RecursionError):
            pass
        return cls((), "what is stored of it cannot be read; ingest again")


def _line(told: Any) -> AccessFileRule:
    rule = told["rule"]
    readers, labels = (frozenset(map(_text, rule[names])) for names in ("readers", "labels"))
    return AccessFileRule(
        _number(told["line"]),
        _text(told["pattern"]),
        AccessRule(_text(rule["tenant"]), readers, labels, _number(rule["level"])),
        _text(told["wrong"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("not a number that counts something")
    return value


BY_HAND = "by hand"
FIRST_CHOICES = ("main", "master")  # of the branches that a question may mean


@dataclass(frozen=True, slots=True)
class ManualRule:
    """What people decided on a path, whatever files say.

    `rule` takes the place of theirs. From the `revoked` groups the right was taken away, and
    where it is `closed`, from everyone.
    """

    rule: AccessRule | None = None
    revoked: frozenset[str] = frozenset()
    closed: bool = False

    def without(self, groups: frozenset[str]) -> "ManualRule":
        """No groups are all of them."""
        if not groups:
            return replace(self, closed=True)
        return replace(self, revoked=self.revoked | groups)


@dataclass(frozen=True, slots=True)
class PathAccess:
    """One path on one branch: the rule in force, and all who spoke.

    Where no snapshot holds the path any more, `branch` is empty: what was decided by hand stays.
    """

    repository: str
    branch: str
    path: str
    told: tuple[AccessStatement, ...]
    by_hand: ManualRule | None
    rule: AccessRule


def inherited(
    tenant: str,
    path: str,
    default: str,
    told: tuple[AccessStatement, ...] | None,
    lines: AccessFileRules | None,
) -> tuple[AccessStatement, ...]:
    """What the default branch says on a path of another one, so that none can widen it.

    `told` is what was said there of the path itself; where it never held that path, its
    access.yaml speaks.
    """
    if told is None:
        told = () if lines is None else (lines.statement_for(tenant, path),)
    return tuple(replace(word, source=f"{word.source} of branch {default}") for word in told)


def effective_rule(
    tenant: str, told: Iterable[AccessStatement], hand: ManualRule | None
) -> AccessRule:
    """Where everyone may read, no single group can be kept out: then nobody may. A rule for
    another tenant lets nobody in."""
    rule = intersect_rules(tenant, told) if hand is None or hand.rule is None else hand.rule
    revoked = frozenset[str]() if hand is None else hand.revoked
    closed = hand is not None and hand.closed
    if closed or rule.tenant != tenant or (revoked and EVERYONE in rule.readers):
        return replace(rule, tenant=tenant, readers=frozenset())
    return replace(rule, readers=rule.readers - revoked)


def canonical_path(path: str) -> str:
    """The same name spelt with other code points is the same name."""
    return unicodedata.normalize("NFC", path)


def spellings(path: str) -> tuple[str, ...]:
    """Under which a path may be stored that is typed like this."""
    forms = (canonical_path(path), unicodedata.normalize("NFD", path))
    return tuple(dict.fromkeys((path, *forms)))
