"""Administration: who may read what, who is who, what was asked. Each needs a right of its own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from docgraph.audited import audited
from docgraph.model.access import ACCESS, AUDITOR, INGEST, RIGHTS, AccessRule, Person, Principal
from docgraph.model.access_decision import PathAccess
from docgraph.model.audit import Anchor, AuditEntry, AuditVerdict
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.snapshot import Pruned, Verified
from docgraph.model.would_fit import would_fit
from docgraph.ports.access_book import AccessBook
from docgraph.ports.audit import AuditLog
from docgraph.ports.store import Store

LONGEST_NAME = 200


class Administration:
    def __init__(self, store: Store, audit: AuditLog) -> None:
        self._store = store
        self._audit = audit

    @contextmanager
    def _book(self, principal: Principal, action: str, detail: str = "") -> Iterator[AccessBook]:
        with audited(self._audit, principal, action) as note:
            note.detail = detail
            principal.require(ACCESS)
            with self._store.access_book(principal.tenant) as book:
                yield book

    def documents(
        self, principal: Principal, repository: str | None = None
    ) -> tuple[PathAccess, ...]:
        """Every document of every snapshot with the rule in force, also of what one cannot read."""
        with self._book(principal, "access show") as book:
            return book.documents(repository)

    def explain(
        self, principal: Principal, path: str, repository: str | None = None
    ) -> tuple[PathAccess, ...]:
        with self._book(principal, "access explain", path) as book:
            found = book.explain(path, repository)
            if not found:
                where = "" if repository is None else f" in repository {repository!r}"
                raise NotVisible(f"there is no document {path!r}{where}")
            return found

    def set_access(
        self, principal: Principal, repository: str, paths: Sequence[str], rule: AccessRule | None
    ) -> None:
        """Takes the place of what files say, on every branch, from the next question on.

        None gives the word back to the files.
        """
        told = f"{repository}: {', '.join(paths)}"
        action = "access reset"
        if rule is not None:
            action, told = "access set", f"{told}: {rule.in_words()}"
        with self._book(principal, action, told) as book:
            if rule is not None and rule.tenant != principal.tenant:
                raise BadInput("a rule is for its own tenant")
            book.set_by_hand(repository, paths, rule)

    def revoke(
        self,
        principal: Principal,
        repository: str,
        paths: Sequence[str],
        readers: frozenset[str] = frozenset(),
    ) -> None:
        """These groups may no longer read; without any, nobody may."""
        told = f"{repository}: {', '.join(paths)}: {', '.join(sorted(readers)) or 'everyone'}"
        with self._book(principal, "access revoke", told) as book:
            for path in paths:
                found = book.explain(path, repository)
                if not found:
                    raise NotVisible(f"repository {repository!r} holds no document {path!r}")
                left = reduce(AccessRule.narrowed, (one.rule for one in found))
                if readers and not readers <= left.readers:
                    may = ", ".join(sorted(left.readers)) or "nobody"
                    wrong = ", ".join(sorted(readers - left.readers))
                    raise BadInput(
                        f"{path}: may be read by {may}, so {wrong} cannot be taken away; "
                        "`access set` says who may"
                    )
                kept = left.readers - readers if readers else frozenset[str]()
                rule = AccessRule(principal.tenant, kept, left.labels, left.level)
                book.set_by_hand(repository, (path,), rule)

    def people(self, principal: Principal) -> tuple[Person, ...]:
        with self._book(principal, "principals list") as book:
            return book.people()

    def person(self, principal: Principal, name: str) -> Person:
        """By name, to ask in theirs. The question leaves the row."""
        if ACCESS not in principal.rights:
            with audited(self._audit, principal, "principals find"):
                principal.require(ACCESS)
        with self._store.access_book(principal.tenant) as book:
            known = {person.id: person for person in book.people()}
            if name not in known:
                raise NotVisible(f"nobody is called {name!r}; {would_fit(name, known)}")
            return known[name]

    def add_person(self, principal: Principal, person: Person) -> None:
        with self._book(principal, "principals add", person.id) as book:
            _check(person, principal)
            book.add_person(person)

    def remove_person(self, principal: Principal, name: str) -> None:
        with self._book(principal, "principals rm", name) as book:
            if not book.remove_person(name):
                raise NotVisible(f"nobody is called {name!r}")

    def audit_entries(
        self, principal: Principal, *, last: int | None = None, who: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with audited(self._audit, principal, "audit list"):
            principal.require(AUDITOR)
            return tuple(self._audit.entries(principal.tenant, last=last, principal=who))

    def audit_verify(self, principal: Principal, anchor: Anchor | None = None) -> AuditVerdict:
        with audited(self._audit, principal, "audit verify"):
            principal.require(AUDITOR)
            return self._audit.verify(principal.tenant, anchor)

    def audit_anchor(self, principal: Principal) -> Anchor | None:
        with audited(self._audit, principal, "audit anchor"):
            principal.require(AUDITOR)
            return self._audit.seal(principal.tenant)

    def prune(self, principal: Principal, repository: str, branch: str, keep: int) -> Pruned:
        with audited(self._audit, principal, "prune") as note:
            note.detail = f"{repository} {branch}, {keep} kept"
            principal.require(INGEST)
            return self._store.prune(principal.tenant, repository, branch, keep)

    def verify(self, principal: Principal) -> Verified:
        with audited(self._audit, principal, "verify"):
            principal.require(INGEST)
            return self._store.verify()


def _check(person: Person, principal: Principal) -> None:
    if person.tenant != principal.tenant:
        raise BadInput("a person belongs to the tenant of who adds them")
    for name in (person.id, *person.groups, *person.labels):
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            raise BadInput(f"{name!r} cannot be a name")
    if person.clearance < 0:
        raise BadInput("a clearance is 0 or more")
    for right in sorted(person.rights):
        if right not in RIGHTS:
            raise BadInput(f"no right is called {right!r}; {would_fit(right, RIGHTS)}")
