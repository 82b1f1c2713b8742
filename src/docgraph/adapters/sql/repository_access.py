"""Who may read the documents of one repository: statements are stored, rules computed from them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache

from docgraph.adapters.sql.access_rows import (
    manual_rule_from_json,
    manual_rule_to_json,
    rule_to_json,
    statements_from_json,
)
from docgraph.adapters.sql.checksums import with_checksum
from docgraph.adapters.sql.database import DamagedRow, Database, single_row
from docgraph.adapters.sql.version_rules import (
    InheritedAccess,
    Renews,
    RuleChange,
    VersionRules,
    changed_rules,
    is_none,
    is_written,
)
from docgraph.model.access import AccessStatement
from docgraph.model.access_policy import (
    AccessFileRules,
    ManualRule,
    canonical_path,
    path_spellings,
)
from docgraph.ports.indexes import FOREVER

OnReclassified = Callable[[int, Mapping[int, int]], None]  # a branch; classes by version


class RepositoryAccess:
    """Each method runs inside its caller's transaction.

    A version's rule follows from the statements on its path, as long as a snapshot with it is
    published; once it has ended, later statements narrow its rule and never widen it.

    `written_branch` is about to be published, and its statements count before it is.
    `on_reclassified` gets the versions of a branch whose classes changed. `changes` are the changed
    rules of documents in newest snapshots.
    """

    def __init__(
        self,
        database: Database,
        tenant: str,
        repository: str,
        *,
        written_branch: int = 0,
        on_reclassified: OnReclassified = lambda _branch, _classes: None,
    ) -> None:
        self.changes: list[RuleChange] = []
        self._sql = database.queries("access.sql")
        self._versions = VersionRules(self._sql, tenant, repository)
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
        row = {**self._names, "branch": branch}
        self._sql.run("set_default_branch", **with_checksum("default_branches", row))
        for number in self.branches():
            self._reclassify(number, self.statements(number), lambda one: bool(one.is_current))

    def statements(self, branch: int, paths: Collection[str] | None = None) -> dict[str, str]:
        """As they are stored, by path."""
        if paths is None:
            return dict(self._sql.rows("statements_of_branch", branch=branch))
        return dict(self._sql.rows("statements_of_paths", branch=branch, paths=list(paths)))

    def file_rules(self, branch: int) -> AccessFileRules | None:
        row = self._sql.row("file_rules_of_branch", branch=branch)
        return None if row is None else _file_rules(row[0])

    def default_statements(self, branch: int) -> str | None:
        """Of new paths that no file states anything of. A branch without a snapshot has those of
        the default branch, the first of a repository has none."""
        for number in (branch, self.default_branch()):
            row = self._sql.row("default_statements", branch=number)
            if row is not None:
                return str(row[0])
        return None

    def set_default_statements(self, statements: str) -> None:
        row = {"branch": self._written_branch, "statements": statements}
        self._sql.run("set_default_statements", **with_checksum("default_statements", row))

    def set_statements(
        self,
        statements: Mapping[str, str],
        file_rules: AccessFileRules | None,
        *,
        may_open: bool = True,
    ) -> None:
        """Those of the written branch. If it is the default, they count on other branches too.

        A text that only earlier snapshots had stays as closed as it was, unless `may_open`.
        """
        branch, before = self._written_branch, self.file_rules(self._written_branch)
        if file_rules is None:
            self._sql.run("delete_file_rules", branch=branch)
        else:
            row = {"branch": branch, "rules": file_rules.to_json()}
            self._sql.run("set_file_rules", **with_checksum("access_file_rules", row))
        default = {**self._names, "branch": self.default_branch()}
        self._sql.run("add_default_branch", **with_checksum("default_branches", default))
        self._reclassify(branch, statements, is_written, may_open=may_open)
        if branch != self.default_branch():
            return
        new_file_rules = file_rules != before
        for other in self.branches():
            if other != branch:
                self._reclassify(other, self._affected(other, statements, new_file_rules))

    def outdated(self, statements: Mapping[str, str], *, may_open: bool) -> dict[str, str]:
        """Statements on documents of the new snapshot whose rule does not follow from them: those
        of the default branch have become wider, or a text was closed."""
        branch = self._written_branch
        access = self.inherited()
        computed: dict[tuple[str, tuple[AccessStatement, ...]], str] = {}  # few differ
        differing: dict[str, str] = {}
        for path, stated in self._sql.rows("stated_rules", branch=branch, forever=FOREVER):
            if (own := statements.get(path)) is None:
                continue
            key = (own, access.statements(branch, path))
            if key not in computed:
                computed[key] = access.stated_json(branch, path, own)
            if computed[key] != stated:
                differing[path] = own
        if may_open or not differing:
            return differing
        return {
            one.path: statements[one.path]
            for one, stated in self._versions.decide(
                access, branch, differing, is_written, may_open=False
            )
            if is_written(one) and rule_to_json(stated) != one.stated
        }

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
        """None removes a path's manual rule. It belongs to the path, wherever the text moves."""
        for path, rule in rules.items():
            key = {**self._names, "path": canonical_path(path)}
            if rule is None:
                self._sql.run("delete_manual_rule", **key)
            else:
                row = {**key, "rule": manual_rule_to_json(rule)}
                self._sql.run("set_manual_rule", **with_checksum("manual_access_rules", row))
        paths = [spelling for path in rules for spelling in path_spellings(path)]
        for branch in self.branches():
            self._reclassify(branch, self.statements(branch, paths))

    def open_history(self, paths: Iterable[str]) -> None:
        """What is stated of a path now counts for all its versions."""
        spellings = [spelling for path in paths for spelling in path_spellings(path)]
        for branch in self.branches():
            self._reclassify(branch, self.statements(branch, spellings), lambda _: True)

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
        if (name := self.branches().get(default)) is None:
            raise DamagedRow("the default branch of a repository is missing")
        statements = self.statements(default, paths)
        file_rules = self.file_rules(default)
        return InheritedAccess(self._tenant, manual, default, name, statements, file_rules)

    def _reclassify(
        self,
        branch: int,
        statements: Mapping[str, str],
        renews: Renews = is_none,
        *,
        may_open: bool = True,
    ) -> None:
        """Stores the statements, and the rules of all versions of their paths.

        Versions that it `renews` get the rule that follows from the statements; the rules of others
        become no wider than it.
        """
        if not statements:
            return
        self._sql.many(
            "set_document_access",
            (
                with_checksum(
                    "document_access", {"branch": branch, "path": path, "statements": own}
                )
                for path, own in statements.items()
            ),
        )
        access = self.inherited(statements.keys())
        decided = [
            (one, rule_to_json(stated), rule_to_json(access.effective_rule(one.path, stated)))
            for one, stated in self._versions.decide(
                access, branch, statements, renews, may_open=may_open
            )
        ]
        changed = [
            (one, stated, effective)
            for one, stated, effective in decided
            if (one.stated, one.effective) != (stated, effective)
        ]
        numbers = self._numbers({rule for _, *rules in changed for rule in rules})
        self._sql.many(
            "set_version_access",
            (
                with_checksum(
                    "document_states",
                    {
                        "version": one.version,
                        "valid_to": one.valid_to,
                        "stated_class": numbers[stated],
                        "access_class": numbers[effective],
                    },
                )
                for one, stated, effective in changed
            ),
        )
        moved = [
            (one, effective)
            for one, _, effective in changed
            if numbers[effective] != one.access_class
        ]
        if any(one.is_published for one, _ in moved):
            self._counts.run("increment_access_changes", tenant=self._tenant)
        self.changes += changed_rules(decided)
        self._on_reclassified(branch, {one.version: numbers[rule] for one, rule in moved})

    def classes(self, branch: int, statements: Mapping[str, str]) -> dict[str, int]:
        """The access class of each path, given what the branch states of it."""
        access = self.inherited(statements.keys())
        rules = {
            path: rule_to_json(
                access.effective_rule(
                    path, access.stated_rule(branch, path, statements_from_json(own))
                )
            )
            for path, own in statements.items()
        }
        numbers = self._numbers(set(rules.values()))
        return {path: numbers[rule] for path, rule in rules.items()}

    def _numbers(self, rules: set[str]) -> dict[str, int]:
        return {rule: self._class_of(rule) for rule in sorted(rules)}

    def _class_of(self, rule: str) -> int:
        known = self._sql.row("find_access_class", rule=rule)
        if known is None:
            self._sql.run("add_access_class", **with_checksum("access_classes", {"rule": rule}))
            known = self._sql.row("find_access_class", rule=rule)
        return int(single_row(known)[0])


@lru_cache(maxsize=16)  # read for every document of an ingest, and mostly the same
def _file_rules(text: str) -> AccessFileRules:
    return AccessFileRules.from_json(text)
