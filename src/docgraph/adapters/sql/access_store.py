"""The access book: one tenant's decisions by hand and people, in short transactions."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from docgraph.adapters.sql.access_rows import rule_from_json, told_from_json
from docgraph.adapters.sql.access_writer import AccessWriter, OnReclassified
from docgraph.adapters.sql.database import Database, Row
from docgraph.model.access import AccessRule, Person
from docgraph.model.access_policy import (
    ManualRule,
    PathAccess,
    canonical_path,
    effective_rule,
    path_spellings,
)
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.validation import is_storable
from docgraph.ports.access_store import RuleCount


class SqlAccessPolicyStore:
    def __init__(
        self, database: Database, tenant: str, moved: OnReclassified = lambda _branch, _paths: None
    ) -> None:
        """`moved` is told of paths that were decided on, before that is committed."""
        self._database = database
        self._sql = database.queries("access.sql")
        self._tenant = tenant
        self._moved = moved

    def _rows(self, query: str, **values: object) -> list[Row]:
        return self._sql.rows(query, tenant=self._tenant, **values)

    def _run(self, query: str, **values: object) -> int:
        return self._sql.run(query, tenant=self._tenant, **values)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Between two batches of an ingest there is always room; changes follow each other."""
        with self._database.transaction():
            self._run("count_change")
            yield

    def documents(self, repository: str | None = None) -> tuple[PathAccess, ...]:
        with self._database.reading():
            return tuple(self._listed(repository, None))

    def explain(self, path: str, repository: str | None = None) -> tuple[PathAccess, ...]:
        with self._database.reading():
            return tuple(self._listed(repository, path))

    def rules(self, repository: str, branch: str) -> tuple[RuleCount, ...]:
        rows = self._rows("rules_of_branch", repository=repository, branch=branch)
        return tuple(RuleCount(rule_from_json(rule), many, path) for rule, many, path in rows)

    def _listed(self, repository: str | None, path: str | None) -> Iterator[PathAccess]:
        if not is_storable(repository or "", path or ""):
            return
        held: set[tuple[str, str]] = set()
        for (home,) in self._rows("repositories_of_tenant", repository=repository):
            writer = self._writer(home)
            names = None if path is None else path_spellings(path)
            words = writer.words(names)
            query = "paths_of_branch" if names is None else "some_of_branch"
            asked = {} if names is None else {"paths": names}
            for number, branch in sorted(writer.branches().items(), key=lambda item: item[1]):
                for found, told, rule in self._rows(query, branch=number, **asked):
                    held.add((home, canonical_path(found)))
                    yield PathAccess(
                        repository=home,
                        branch=branch,
                        path=found,
                        told=(*told_from_json(told), *words.inherited(number, found)),
                        by_hand=words.hand(found),
                        rule=rule_from_json(rule),
                    )
        yield from self._left(repository, path, held)

    def _left(
        self, repository: str | None, path: str | None, held: set[tuple[str, str]]
    ) -> Iterator[PathAccess]:
        """Decisions on paths that nothing holds any more; they wait for whoever comes back."""
        key = None if path is None else canonical_path(path)
        for home, left in self._rows("hands_of_tenant", repository=repository, path=key):
            if (home, left) not in held:
                hand = self._writer(home).words((left,)).hand(left)
                rule = effective_rule(self._tenant, (), hand)
                yield PathAccess(home, "", left, (), hand, rule)

    def _writer(self, repository: str) -> AccessWriter:
        return AccessWriter(self._database, self._tenant, repository, moved=self._moved)

    def set_by_hand(self, repository: str, paths: Sequence[str], rule: AccessRule) -> None:
        self._decide(repository, paths, lambda _: ManualRule(rule))

    def revoke(self, repository: str, paths: Sequence[str], groups: frozenset[str]) -> None:
        def taken(found: tuple[PathAccess, ...]) -> ManualRule:
            readers = frozenset[str]().union(*(one.rule.readers for one in found))
            if groups and not groups <= readers:
                may = ", ".join(sorted(readers)) or "nobody"
                wrong = ", ".join(sorted(groups - readers))
                raise BadInput(
                    f"{found[0].path}: may be read by {may}, so {wrong} cannot be taken away; "
                    "`access set` says who may"
                )
            return (found[0].by_hand or ManualRule()).revoke(groups)

        self._decide(repository, paths, taken)

    def reset(self, repository: str, paths: Sequence[str]) -> None:
        self._decide(repository, paths, lambda _: None)

    def _decide(
        self,
        repository: str,
        paths: Sequence[str],
        hand: Callable[[tuple[PathAccess, ...]], ManualRule | None],
    ) -> None:
        """All of the paths or none."""
        with self._changing():
            hands: dict[str, ManualRule | None] = {}
            for path in paths:
                found = tuple(self._listed(repository, path))
                if not found:
                    raise NotVisible(f"repository {repository!r} holds no document {path!r}")
                hands[path] = hand(found)
            self._writer(repository).decide_by_hand(hands)

    def set_default_branch(self, repository: str, branch: str) -> None:
        with self._changing():
            writer = self._writer(repository)
            numbers = {name: number for number, name in writer.branches().items()}
            if branch not in numbers:
                raise NotVisible(f"repository {repository!r} has no branch {branch!r}")
            writer.set_default(numbers[branch])

    def people(self) -> tuple[Person, ...]:
        return tuple(self._person(*row) for row in self._rows("people_of_tenant"))

    def person(self, name: str) -> Person | None:
        found = self._rows("person_of_tenant", id=name) if is_storable(name) else []
        return self._person(*found[0]) if found else None

    def _person(self, name: str, groups: str, labels: str, clearance: int, rights: str) -> Person:
        return Person(
            id=name,
            tenant=self._tenant,
            groups=frozenset(json.loads(groups)),
            labels=frozenset(json.loads(labels)),
            clearance=clearance,
            rights=frozenset(json.loads(rights)),
        )

    def add_person(self, person: Person) -> None:
        with self._changing():
            self._run(
                "set_person",
                id=person.id,
                groups=json.dumps(sorted(person.groups)),
                labels=json.dumps(sorted(person.labels)),
                clearance=person.clearance,
                rights=json.dumps(sorted(person.rights)),
            )

    def remove_person(self, name: str) -> bool:
        with self._changing():
            return self._run("drop_person", id=name) > 0
