"""Who may read the documents of one repository: statements are stored, rules computed from them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from docgraph.adapters.sql.access_rows import (
    manual_rule_from_json,
    manual_rule_to_json,
    rule_to_json,
    statements_from_json,
)
from docgraph.adapters.sql.database import Database, single_row
from docgraph.model.access import AccessRule, AccessStatement
from docgraph.model.access_policy import (
    AccessFileRules,
    ManualRule,
    canonical_path,
    effective_rule,
    inherited_statements,
    path_spellings,
)

OnReclassified = Callable[[int, Collection[str], Collection[str]], None]


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

    def effective_rule(
        self, branch: int, path: str, statements: tuple[AccessStatement, ...]
    ) -> AccessRule:
        """`statements` are the branch's own."""
        combined = (*statements, *self.statements(branch, path))
        return effective_rule(self.tenant, combined, self.manual_rule(path))

    def stored_rule(self, branch: int, path: str, statements: str) -> str:
        """The effective rule as it is stored, of statements as they are stored."""
        return rule_to_json(self.effective_rule(branch, path, statements_from_json(statements)))


class RepositoryAccess:
    """Each method runs inside its caller's transaction.

    `written_branch` is about to be published, and its statements count before it is.
    `on_reclassified` gets paths of a branch whose rules were computed anew, and those of them whose
    class changed.
    """

    def __init__(
        self,
        database: Database,
        tenant: str,
        repository: str,
        *,
        written_branch: int = 0,
        on_reclassified: OnReclassified = lambda _branch, _paths, _changed: None,
    ) -> None:
        self._sql = database.queries("access.sql")
        self._counts = database.queries("writes.sql")
        self._names = {"tenant": tenant, "repository": repository}
        self._tenant = tenant
        self._written_branch = written_branch
        self._on_reclassified = on_reclassified

    def branches(self) -> dict[int, str]:
        """Names by number, the oldest first."""
        rows = self._sql.rows("branches_of_repository", **self._names, writing=self._written_branch)
        return dict(rows)

    def default_branch(self) -> int | None:
        """The branch whose statements count on all others: the first that was published, until
        an administrator names another."""
        row = self._sql.row("default_branch", **self._names)
        return row[0] if row else next(iter(self.branches()), None)

    def set_default_branch(self, branch: int) -> None:
        self._sql.run("set_default_branch", **self._names, branch=branch)
        for number in self.branches():
            self._reclassify(number, self.statements(number))

    def statements(self, branch: int, paths: Collection[str] | None = None) -> dict[str, str]:
        """As they are stored, by path."""
        if paths is None:
            return dict(self._sql.rows("statements_of_branch", branch=branch))
        return dict(self._sql.rows("statements_of_paths", branch=branch, paths=list(paths)))

    def file_rules(self, branch: int) -> AccessFileRules | None:
        row = self._sql.row("file_rules_of_branch", branch=branch)
        return None if row is None else _file_rules(row[0])

    def set_statements(
        self, statements: Mapping[str, str], file_rules: AccessFileRules | None
    ) -> None:
        """Those of the written branch. If it is the default, they count on other branches too."""
        branch, before = self._written_branch, self.file_rules(self._written_branch)
        if file_rules is None:
            self._sql.run("delete_file_rules", branch=branch)
        else:
            self._sql.run("set_file_rules", branch=branch, rules=file_rules.to_json())
        self._sql.run("add_default_branch", **self._names, branch=self.default_branch())
        self._reclassify(branch, statements)
        if branch != self.default_branch():
            return
        new_file_rules = file_rules != before
        for other in self.branches():
            if other != branch:
                self._reclassify(other, self._affected(other, statements, new_file_rules))

    def _affected(
        self, other: int, statements: Mapping[str, str], new_file_rules: bool
    ) -> dict[str, str]:
        """Statements of another branch on paths of which the default now states something else."""
        if not new_file_rules:
            return self.statements(other, statements.keys())
        stated = self.statements(self._written_branch)
        return {
            path: own
            for path, own in self.statements(other).items()
            if path in statements or path not in stated
        }

    def set_manual_rules(self, rules: Mapping[str, ManualRule | None]) -> None:
        """None removes a path's manual rule."""
        for path, rule in rules.items():
            key = {**self._names, "path": canonical_path(path)}
            if rule is None:
                self._sql.run("delete_manual_rule", **key)
            else:
                self._sql.run("set_manual_rule", **key, rule=manual_rule_to_json(rule))
        paths = [spelling for path in rules for spelling in path_spellings(path)]
        for branch in self.branches():
            self._reclassify(branch, self.statements(branch, paths))

    def move_manual_rules(self, renamed: Iterable[tuple[str, str]]) -> None:
        """A manual rule follows a renamed file, unless the new path has one of its own."""
        moves = [(old, new) for old, new in renamed if canonical_path(old) != canonical_path(new)]
        access = self.inherited([path for move in moves for path in move])
        self.set_manual_rules(
            {
                new: rule
                for old, new in moves
                if (rule := access.manual_rule(old)) is not None and access.manual_rule(new) is None
            }
        )

    def inherited(self, paths: Collection[str] | None = None) -> InheritedAccess:
        """As of now; for these paths, or for all."""
        if paths is None:
            rows = self._sql.rows("manual_rules", **self._names)
        else:
            keys = [canonical_path(path) for path in paths]
            rows = self._sql.rows("manual_rules_of_paths", **self._names, paths=keys)
        manual = {path: manual_rule_from_json(rule) for path, rule in rows}
        default = self.default_branch()
        if default is None:
            return InheritedAccess(self._tenant, manual)
        name, statements = self.branches()[default], self.statements(default, paths)
        file_rules = self.file_rules(default)
        return InheritedAccess(self._tenant, manual, default, name, statements, file_rules)

    def _reclassify(self, branch: int, statements: Mapping[str, str]) -> None:
        if not statements:
            return
        classes = self.classes(branch, statements)
        known = self._sql.rows("classes_of_paths", branch=branch, paths=list(statements))
        changed = frozenset(path for path, before in known if classes[path] != before)
        if changed:
            self._counts.run("increment_access_changes", tenant=self._tenant)
        self._sql.many(
            "set_document_access",
            (
                {"branch": branch, "path": path, "statements": own, "access_class": classes[path]}
                for path, own in statements.items()
            ),
        )
        self._on_reclassified(branch, statements.keys(), changed)

    def classes(self, branch: int, statements: Mapping[str, str]) -> dict[str, int]:
        """The access class of each path, given what the branch states of it."""
        access = self.inherited(statements.keys())
        rules = {path: access.stored_rule(branch, path, own) for path, own in statements.items()}
        numbers = {rule: self._class_of(rule) for rule in sorted(set(rules.values()))}
        return {path: numbers[rule] for path, rule in rules.items()}

    def _class_of(self, rule: str) -> int:
        known = self._sql.row("find_access_class", rule=rule)
        if known is None:
            self._sql.run("add_access_class", rule=rule)
            known = self._sql.row("find_access_class", rule=rule)
        return int(single_row(known)[0])


@lru_cache(maxsize=16)  # read for every document of an ingest, and mostly the same
def _file_rules(text: str) -> AccessFileRules:
    return AccessFileRules.from_json(text)
