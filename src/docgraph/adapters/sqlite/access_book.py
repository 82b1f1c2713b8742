"""The access book on SQLite: one tenant's rules by hand and people, in short transactions."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from docgraph.adapters.named_queries import named_queries
from docgraph.adapters.sqlite.access_rows import rule_from_json, told_from_json
from docgraph.adapters.sqlite.access_writer import AccessWriter
from docgraph.adapters.sqlite.connection import PACKAGE
from docgraph.model.access import AccessRule, Person
from docgraph.model.access_decision import PathAccess
from docgraph.model.errors import NotVisible

_SQL = named_queries(PACKAGE, "access.sql")


class SqliteAccessBook:
    def __init__(self, connection: sqlite3.Connection, tenant: str) -> None:
        self._connection = connection
        self._tenant = tenant

    def _run(self, query: str, **values: object) -> sqlite3.Cursor:
        return self._connection.execute(_SQL[query], {"tenant": self._tenant, **values})

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Between two batches of an ingest there is always room."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._run("count_change")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Of one state, whoever changes it meanwhile."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    def documents(self, repository: str | None = None) -> tuple[PathAccess, ...]:
        with self._reading():
            return self._listed(repository, None)

    def explain(self, path: str, repository: str | None = None) -> tuple[PathAccess, ...]:
        with self._reading():
            return self._listed(repository, path)

    def _listed(self, repository: str | None, path: str | None) -> tuple[PathAccess, ...]:
        rows = self._run("documents_of_tenant", repository=repository, path=path).fetchall()
        homes = {row[0] for row in rows}
        words = {home: AccessWriter(self._connection, self._tenant, home).words() for home in homes}
        return tuple(
            PathAccess(
                repository=home,
                branch=branch,
                path=found,
                told=(*told_from_json(told), *words[home].inherited(number, found)),
                by_hand=words[home].by_hand.get(found),
                rule=rule_from_json(rule),
            )
            for home, number, branch, found, told, rule in rows
        )

    def set_by_hand(self, repository: str, paths: Sequence[str], rule: AccessRule | None) -> None:
        with self._changing():
            for path in paths:
                if not self._listed(repository, path):
                    raise NotVisible(f"repository {repository!r} holds no document {path!r}")
            AccessWriter(self._connection, self._tenant, repository).set_by_hand(paths, rule)

    def people(self) -> tuple[Person, ...]:
        return tuple(
            Person(
                id=name,
                tenant=self._tenant,
                groups=frozenset(json.loads(groups)),
                labels=frozenset(json.loads(labels)),
                clearance=clearance,
                rights=frozenset(json.loads(rights)),
            )
            for name, groups, labels, clearance, rights in self._run("people_of_tenant")
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
            return self._run("drop_person", id=name).rowcount > 0
