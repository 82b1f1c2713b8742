"""The effective access rule of a path: from access.yaml, the default branch and manual rules."""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from docgraph.model.access import EVERYONE, AccessRule, AccessStatement, intersect_rules
from docgraph.model.digest import canonical
from docgraph.model.path_pattern import compile_pattern, find_pattern_problem, normalise_path

# Rules of an access.yaml file.


SOURCE = "access.yaml"
NO_MATCHING_LINE = "no line matches"
_FILE_NAMES = frozenset({"access.yaml", "access.yml"})


def is_access_file(name: str) -> bool:
    """Also in another case or with the suffix `.yml`: such a file is reported, not ignored."""
    return name.casefold() in _FILE_NAMES


@dataclass(frozen=True, slots=True)
class AccessFileRule:
    """A valid pattern and its rule; `error` is one in the line, which then denies access."""

    line: int
    pattern: str
    rule: AccessRule
    error: str = ""

    def __post_init__(self) -> None:
        if problem := find_pattern_problem(self.pattern):
            raise ValueError(problem)


@dataclass(frozen=True, slots=True)
class AccessFileRules:
    """In the file's order. An `error`, in `error_line`, makes the whole file deny access."""

    rules: tuple[AccessFileRule, ...]
    error: str = ""
    error_line: int = 0

    def statement_for(self, tenant: str, path: str) -> AccessStatement:
        """The last matching line. Without one, or with an error in it, nobody may read."""
        nobody = AccessRule(tenant)
        if self.error:
            return AccessStatement(SOURCE, self.error_line, self.error, nobody)
        normalised = normalise_path(path)
        for rule in reversed(self.rules):
            pattern = compile_pattern(rule.pattern)
            if pattern.needle in normalised and pattern.match(normalised):
                access = nobody if rule.error else rule.rule
                return AccessStatement(SOURCE, rule.line, rule.error or rule.pattern, access)
        return AccessStatement(SOURCE, 0, NO_MATCHING_LINE, nobody)

    def to_json(self) -> str:
        """Equal rules give equal text."""
        return canonical(self).decode("utf-8", "surrogatepass")

    @classmethod
    def from_json(cls, text: str) -> "AccessFileRules":
        """Text that `to_json` would not have written denies everything."""
        try:
            value = json.loads(text)
            rules = tuple(_parse_rule(rule) for rule in value["rules"])
            parsed = cls(rules, _text(value["error"]), _number(value["error_line"]))
            if parsed.to_json() == text:
                return parsed
        except (KeyError, TypeError, ValueError, RecursionError):
            pass
        return cls((), "its stored rules cannot be read; ingest again")


def _parse_rule(value: Any) -> AccessFileRule:
    rule = value["rule"]
    readers, labels = (frozenset(map(_text, rule[names])) for names in ("readers", "labels"))
    return AccessFileRule(
        _number(value["line"]),
        _text(value["pattern"]),
        AccessRule(_text(rule["tenant"]), readers, labels, _number(rule["level"])),
        _text(value["error"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("not a number from 0")
    return value


MANUAL = "manual rule"
DEFAULT_BRANCHES = ("main", "master")  # tried in this order where a question names no branch


@dataclass(frozen=True, slots=True)
class ManualRule:
    """A rule that a person set on a path; it overrides what files say.

    `rule` replaces theirs, `revoked` groups may not read, and if `closed` nobody may.
    """

    rule: AccessRule | None = None
    revoked: frozenset[str] = frozenset()
    closed: bool = False

    def revoke(self, groups: frozenset[str]) -> "ManualRule":
        """Without groups, everyone's access is revoked."""
        if not groups:
            return replace(self, closed=True)
        return replace(self, revoked=self.revoked | groups)


@dataclass(frozen=True, slots=True)
class VersionAccess:
    """An older version of a document, in the snapshots from `first` to `last`, and its rule."""

    first: int
    last: int
    rule: AccessRule


@dataclass(frozen=True, slots=True)
class PathAccess:
    """One path on one branch: its effective rule, and the statements that it follows from.

    `rule` is that of the newest version, `older` are versions with another one. `branch` is empty
    where no snapshot has the path any more: a manual rule stays.
    """

    repository: str
    branch: str
    path: str
    statements: tuple[AccessStatement, ...]
    manual: ManualRule | None
    rule: AccessRule
    older: tuple[VersionAccess, ...] = ()


def inherited_statements(
    tenant: str,
    path: str,
    default: str,
    statements: tuple[AccessStatement, ...] | None,
    file_rules: AccessFileRules | None,
) -> tuple[AccessStatement, ...]:
    """Statements of the default branch, which no other branch can widen.

    `statements` are those on the path itself; if it was never there, its access.yaml applies.
    """
    if statements is None:
        statements = () if file_rules is None else (file_rules.statement_for(tenant, path),)
    return tuple(replace(one, source=f"{one.source} of branch {default}") for one in statements)


def effective_rule(
    tenant: str, statements: Iterable[AccessStatement], manual: ManualRule | None
) -> AccessRule:
    return apply_manual_rule(tenant, intersect_rules(tenant, statements), manual)


def apply_manual_rule(tenant: str, stated: AccessRule, manual: ManualRule | None) -> AccessRule:
    """A manual rule replaces what was stated. If a group is revoked where everyone may read,
    nobody may: the group could not be excluded. A rule of another tenant admits nobody."""
    manual = manual or ManualRule()
    rule = manual.rule or stated
    unenforceable = manual.revoked and EVERYONE in rule.readers
    if manual.closed or unenforceable or rule.tenant != tenant:
        return replace(rule, tenant=tenant, readers=frozenset())
    return replace(rule, readers=rule.readers - manual.revoked)


def canonical_path(path: str) -> str:
    """In NFC: one key for a name, however its characters are composed."""
    return unicodedata.normalize("NFC", path)


def path_spellings(path: str) -> tuple[str, ...]:
    """The path and its NFC and NFD forms: it may be stored as any of them."""
    forms = (canonical_path(path), unicodedata.normalize("NFD", path))
    return tuple(dict.fromkeys((path, *forms)))
