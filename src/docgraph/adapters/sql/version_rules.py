"""The rule of each version of a document: what is stated of its path, as long as it is current."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from docgraph.adapters.sql.access_rows import rule_from_json, rule_to_json, statements_from_json
from docgraph.adapters.sql.checksums import require_intact
from docgraph.adapters.sql.database import DamagedRow, Queries, Row
from docgraph.model.access import AccessRule, AccessStatement, intersect_rules
from docgraph.model.access_policy import (
    AccessFileRules,
    ManualRule,
    apply_manual_rule,
    canonical_path,
    inherited_statements,
)
from docgraph.ports.indexes import FOREVER


@dataclass(frozen=True, slots=True)
class InheritedAccess:
    """What counts beside a branch's own statements: manual rules, and the default branch's."""

    tenant: str
    manual_rules: Mapping[str, ManualRule]
    default_branch: int | None = None
    default_name: str = ""
    default_statements: Mapping[str, str] = field(default_factory=dict)
    default_file_rules: AccessFileRules | None = None

    def manual_rule(self, path: str) -> ManualRule | None:
        return self.manual_rules.get(canonical_path(path))

    def statements(self, branch: int, path: str) -> tuple[AccessStatement, ...]:
        """Those of the default branch on a path of another."""
        if self.default_branch is None or branch == self.default_branch:
            return ()
        stored = self.default_statements.get(path)
        default = None if stored is None else statements_from_json(stored)
        return inherited_statements(
            self.tenant, path, self.default_name, default, self.default_file_rules
        )

    def stated_rule(
        self, branch: int, path: str, statements: tuple[AccessStatement, ...]
    ) -> AccessRule:
        """`statements` are the branch's own; no manual rule counts."""
        return intersect_rules(self.tenant, (*statements, *self.statements(branch, path)))

    def stated_json(self, branch: int, path: str, statements: str) -> str:
        """As it is stored, of statements as they are stored."""
        return rule_to_json(self.stated_rule(branch, path, statements_from_json(statements)))

    def effective_rule(self, path: str, stated: AccessRule) -> AccessRule:
        return apply_manual_rule(self.tenant, stated, self.manual_rule(path))


class DocumentVersion(NamedTuple):
    """A version of a document, as its rule is decided on; `stated` and `effective` are rules as
    they are stored, None before the first decision."""

    version: int
    path: str
    content: int
    valid_from: int
    valid_to: int
    stated_class: int
    stated: str | None
    access_class: int
    effective: str | None
    is_published: int
    is_current: int  # in the newest published snapshot, or in the one that is written
    state_checksum: int

    @property
    def state(self) -> Row:
        """As checksums.sql selects it."""
        classes = (self.stated_class, self.access_class)
        return self.version, self.valid_to, *classes, self.state_checksum


class RuleChange(NamedTuple):
    """Of a document that the newest snapshot of a branch has."""

    old: AccessRule
    new: AccessRule


Renews = Callable[[DocumentVersion], bool]


def is_none(_: DocumentVersion) -> bool:
    return False


def is_written(one: DocumentVersion) -> bool:
    return one.valid_to == FOREVER


class VersionRules:
    """Those of one repository; `sql` is access.sql."""

    def __init__(self, sql: Queries, tenant: str, repository: str) -> None:
        self._sql = sql
        self._names = {"tenant": tenant, "repository": repository}

    def decide(
        self,
        access: InheritedAccess,
        branch: int,
        statements: Mapping[str, str],
        renews: Renews,
        *,
        may_open: bool,
    ) -> list[tuple[DocumentVersion, AccessRule]]:
        """All versions of these paths, with the rules that are stated for them now."""
        paths = list(statements)
        rows = self._sql.rows("versions_of_paths", branch=branch, paths=paths)
        versions = [DocumentVersion(*row) for row in rows]
        require_intact("document_states", (one.state for one in versions))
        if not statements.keys() >= {one.path for one in versions}:
            raise DamagedRow("a document is found under a path that it does not have")
        closed = {} if may_open else self._closed_texts(branch, paths, versions)
        decided = []
        for one in versions:
            rule = access.stated_rule(branch, one.path, statements_from_json(statements[one.path]))
            if not renews(one):
                rule = rule if one.stated is None else rule_from_json(one.stated).intersect(rule)
            else:
                rule = reduce(AccessRule.intersect, closed.get((one.path, one.content), ()), rule)
            decided.append((one, rule))
        return decided

    def _closed_texts(
        self, branch: int, paths: list[str], versions: Sequence[DocumentVersion]
    ) -> dict[tuple[str, int], list[AccessRule]]:
        """The rules of ended versions, by path and text.

        One that was followed by the same text, as after an update of docgraph, has not ended.
        """
        rows = self._sql.rows("ended_versions_of_paths", **self._names, branch=branch, paths=paths)
        found: dict[tuple[str, int], list[AccessRule]] = {}
        for path, content, stated in rows:
            found.setdefault((path, content), []).append(rule_from_json(stated))
        begun = {(one.path, one.content, one.valid_from) for one in versions}
        for one in versions:
            follows = (one.path, one.content, one.valid_to) in begun
            if one.valid_to != FOREVER and one.stated is not None and not follows:
                found.setdefault((one.path, one.content), []).append(rule_from_json(one.stated))
        return found


def changed_rules(decided: Iterable[tuple[DocumentVersion, str, str]]) -> Iterator[RuleChange]:
    """Of documents that the newest snapshot had, and the new one has.

    Each version comes with its stated and its effective rule.
    """
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for one, _, effective in decided:
        if one.is_published and one.is_current and one.effective is not None:
            before[one.path] = one.effective
        if one.valid_to == FOREVER:
            after[one.path] = effective
    for path in sorted(before.keys() & after.keys()):
        if before[path] != after[path]:
            yield RuleChange(rule_from_json(before[path]), rule_from_json(after[path]))
