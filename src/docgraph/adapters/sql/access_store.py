"""One tenant's manual access rules and people, in short transactions."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from docgraph.adapters.sql.access_rows import rule_from_json, statements_from_json
from docgraph.adapters.sql.checksums import with_checksum
from docgraph.adapters.sql.database import Database, Row
from docgraph.adapters.sql.repository_access import OnReclassified, RepositoryAccess
from docgraph.adapters.sql.stored_json import load_values
from docgraph.model.access import AccessRule, Person
from docgraph.model.access_policy import (
    ManualRule,
    PathAccess,
    VersionAccess,
    canonical_path,
    effective_rule,
    path_spellings,
)
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import BranchSource, SourceLocation
from docgraph.model.validation import closest_path, is_storable, suggest
from docgraph.ports.access_store import RuleCount


class SqlAccessPolicyStore:
    def __init__(
        self,
        database: Database,
        tenant: str,
        on_reclassified: OnReclassified = lambda _branch, _classes: None,
    ) -> None:
        """`on_reclassified` gets the versions whose rules changed, before that is committed."""
        self._database = database
        self._sql = database.queries("access.sql")
        self._tenant = tenant
        self._on_reclassified = on_reclassified

    def _rows(self, query: str, **values: object) -> list[Row]:
        return self._sql.rows(query, tenant=self._tenant, **values)

    def _run(self, query: str, **values: object) -> int:
        return self._sql.run(query, tenant=self._tenant, **values)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A short transaction, between two batches of an ingest; changes are serialised."""
        with self._database.transaction():
            self._database.queries("writes.sql").run("increment_changes", tenant=self._tenant)
            yield

    def documents(self, repository: str | None = None) -> tuple[PathAccess, ...]:
        with self._database.reading():
            found = tuple(self._list(repository, None))
            if not found and repository is not None:
                self._require_repository(repository)
            return found

    def explain(self, path: str, repository: str | None = None) -> tuple[PathAccess, ...]:
        with self._database.reading():
            return self._find(path, repository)

    def rules(self, repository: str, branch: str) -> tuple[RuleCount, ...]:
        rows = self._rows("rules_of_branch", repository=repository, branch=branch)
        return tuple(RuleCount(rule_from_json(rule), many, path) for rule, many, path in rows)

    def _list(self, repository: str | None, path: str | None) -> Iterator[PathAccess]:
        if not is_storable(repository or "", path or ""):
            return
        listed: set[tuple[str, str]] = set()
        for (home,) in self._rows("repositories_of_tenant", repository=repository):
            access = self._access(home)
            names = None if path is None else path_spellings(path)
            inherited = access.inherited(names)
            query = "access_of_branch" if names is None else "access_of_paths"
            selected = {} if names is None else {"paths": names}
            for number, branch in sorted(access.branches().items(), key=lambda item: item[1]):
                rows = self._rows(query, branch=number, **selected)
                for stored, versions in groupby(rows, key=itemgetter(0)):
                    listed.add((home, canonical_path(stored)))
                    *older, (_, own, rule, _, _) = versions
                    yield PathAccess(
                        repository=home,
                        branch=branch,
                        path=stored,
                        statements=(
                            *statements_from_json(own),
                            *inherited.statements(number, stored),
                        ),
                        manual=inherited.manual_rule(stored),
                        rule=rule_from_json(rule),
                        older=tuple(
                            VersionAccess(first, end - 1, rule_from_json(other))
                            for _, _, other, first, end in older
                            if other != rule
                        ),
                    )
        yield from self._unused_rules(repository, path, listed)

    def _unused_rules(
        self, repository: str | None, path: str | None, listed: set[tuple[str, str]]
    ) -> Iterator[PathAccess]:
        """Manual rules on paths without a document; they count again if the path returns."""
        key = None if path is None else canonical_path(path)
        for home, unused in self._rows("manual_rules_of_tenant", repository=repository, path=key):
            if (home, unused) not in listed:
                manual = self._access(home).inherited((unused,)).manual_rule(unused)
                rule = effective_rule(self._tenant, (), manual)
                yield PathAccess(home, "", unused, (), manual, rule)

    def _find(self, path: str, repository: str | None) -> tuple[PathAccess, ...]:
        """One at least."""
        found = tuple(self._list(repository, path))
        if found:
            return found
        if repository is not None:
            self._require_repository(repository)
        where = "" if repository is None else f" in repository {repository!r}"
        close = closest_path(path, {one.path for one in self._list(repository, None)})
        hint = f"did you mean {close!r}?" if close else "`docgraph access show` lists them"
        raise NotVisible(f"there is no document {path!r}{where}; {hint}")

    def _require_repository(self, repository: str) -> None:
        """One that has documents, or manual rules on documents that it had."""
        ruled = self._rows("manual_rules_of_tenant", repository=None, path=None)
        homes = self._rows("repositories_of_tenant", repository=None)
        known = sorted({home for home, *_ in (*homes, *ruled)})
        if repository not in known:
            raise NotVisible(f"there is no repository {repository!r}; {suggest(repository, known)}")

    def _access(self, repository: str) -> RepositoryAccess:
        return RepositoryAccess(
            self._database, self._tenant, repository, on_reclassified=self._on_reclassified
        )

    def set_manual_rule(self, repository: str, paths: Sequence[str], rule: AccessRule) -> None:
        self._set_rules(repository, paths, lambda _: ManualRule(rule))

    def revoke(self, repository: str, paths: Sequence[str], groups: frozenset[str]) -> None:
        def without_groups(access: tuple[PathAccess, ...]) -> ManualRule:
            readers = frozenset[str]().union(*(one.rule.readers for one in access))
            if groups and not groups <= readers:
                may = ", ".join(sorted(readers)) or "nobody"
                wrong = ", ".join(sorted(groups - readers))
                raise BadInput(
                    f"{access[0].path}: may be read by {may}, so {wrong} cannot be taken away; "
                    "`access set` says who may"
                )
            return (access[0].manual or ManualRule()).revoke(groups)

        self._set_rules(repository, paths, without_groups)

    def reset(self, repository: str, paths: Sequence[str], *, history: bool = False) -> None:
        self._set_rules(repository, paths, lambda _: None, history=history)

    def _set_rules(
        self,
        repository: str,
        paths: Sequence[str],
        rule_for: Callable[[tuple[PathAccess, ...]], ManualRule | None],
        *,
        history: bool = False,
    ) -> None:
        """All of the paths or none."""
        with self._changing():
            rules: dict[str, ManualRule | None] = {}
            for path in paths:
                rules[path] = rule_for(self._find(path, repository))
            self._access(repository).set_manual_rules(rules)
            if history:
                self._access(repository).open_history(rules)

    def set_default_branch(self, repository: str, branch: str) -> None:
        with self._changing():
            number = self._branch(repository, branch)
            self._access(repository).set_default_branch(number)

    def _branch(self, repository: str, branch: str) -> int:
        numbers = {name: number for number, name in self._access(repository).branches().items()}
        if branch not in numbers:
            self._require_repository(repository)
            raise NotVisible(
                f"there is no branch {branch!r} in repository {repository!r}; "
                f"{suggest(branch, sorted(numbers))}"
            )
        return numbers[branch]

    def sources(self, repository: str | None = None) -> tuple[BranchSource, ...]:
        if not is_storable(repository or ""):
            return ()
        rows = self._rows("sources_of_tenant", repository=repository)
        return tuple(
            BranchSource(home, branch, SourceLocation(location, ref) if location else None)
            for home, branch, location, ref in rows
        )

    def set_source(self, repository: str, branch: str, source: SourceLocation) -> None:
        with self._changing():
            row = {
                "branch": self._branch(repository, branch),
                "location": source.location,
                "ref": source.ref,
            }
            self._sql.run("set_source", **with_checksum("branch_sources", row))

    def people(self) -> tuple[Person, ...]:
        return tuple(self._person(*row) for row in self._rows("principals_of_tenant"))

    def person(self, name: str) -> Person | None:
        rows = self._rows("find_principal", id=name) if is_storable(name) else []
        return self._person(*rows[0]) if rows else None

    def _person(self, name: str, groups: str, labels: str, clearance: int, rights: str) -> Person:
        return Person(
            id=name,
            tenant=self._tenant,
            groups=frozenset(load_values(groups, str)),
            labels=frozenset(load_values(labels, str)),
            clearance=clearance,
            rights=frozenset(load_values(rights, str)),
        )

    def add_person(self, person: Person) -> None:
        row = {
            "tenant": self._tenant,
            "id": person.id,
            "groups": json.dumps(sorted(person.groups)),
            "labels": json.dumps(sorted(person.labels)),
            "clearance": person.clearance,
            "rights": json.dumps(sorted(person.rights)),
        }
        with self._changing():
            self._sql.run("set_principal", **with_checksum("principals", row))

    def remove_person(self, name: str) -> bool:
        with self._changing():
            return self._run("delete_principal", id=name) > 0
