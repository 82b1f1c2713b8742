"""Administration: access rules, people, API keys, the audit log. Each needs its own right."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from docgraph.engine.audit_trail import audited_action
from docgraph.model.access import (
    ACCESS,
    AUDITOR,
    EVERYONE,
    INGEST,
    LOCAL,
    RIGHTS,
    AccessRule,
    ApiKey,
    Person,
    Principal,
)
from docgraph.model.access_policy import PathAccess
from docgraph.model.audit import Anchor, AuditEntry, AuditVerdict
from docgraph.model.errors import BadInput, NotAuthorized, NotVisible
from docgraph.model.snapshot import (
    BranchSource,
    PruneResult,
    ReindexResult,
    SnapshotSelector,
    SourceLocation,
    VerifyReport,
    nothing_visible,
)
from docgraph.model.validation import MAX_NAME_CHARACTERS, check_names, suggest
from docgraph.ports.access_store import AccessPolicyStore, RuleCount
from docgraph.ports.audit import AuditLog
from docgraph.ports.auth import ApiKeyStore
from docgraph.ports.store import Store

HIGHEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Administration:
    store: Store
    audit: AuditLog
    api_keys: ApiKeyStore

    def check_store(self) -> None:
        """Raises where the store does not answer."""
        with self.store.access_policy(LOCAL) as policy:
            policy.rules("", "")

    @contextmanager
    def _policy(
        self, principal: Principal, action: str, detail: str = "", *, changes: bool = False
    ) -> Iterator[AccessPolicyStore]:
        change = detail if changes else None
        with (
            audited_action(self.audit, principal, action, right=ACCESS, changes=change) as note,
            self.store.access_policy(principal.tenant) as policy,
        ):
            note.detail = detail
            yield policy

    def documents(
        self, principal: Principal, repository: str | None = None
    ) -> tuple[PathAccess, ...]:
        """Every document of every snapshot with its effective rule, also unreadable ones."""
        with self._policy(principal, "access show", repository or "") as policy:
            return policy.documents(repository)

    def explain(
        self, principal: Principal, path: str, repository: str | None = None
    ) -> tuple[PathAccess, ...]:
        with self._policy(principal, "access explain", path) as policy:
            return policy.explain(path, repository)

    def rules(self, principal: Principal, repository: str, branch: str) -> tuple[RuleCount, ...]:
        """How many documents of the newest snapshot have which rule."""
        with (
            audited_action(self.audit, principal, "access show", right=ACCESS, silently=True),
            self.store.access_policy(principal.tenant) as policy,
        ):
            return policy.rules(repository, branch)

    def set_access(
        self, principal: Principal, repository: str, paths: Sequence[str], rule: AccessRule
    ) -> None:
        """Replaces what files say, on every branch, from the next question on."""
        check_names(sorted(rule.readers | rule.labels))
        if rule.tenant != principal.tenant:
            raise BadInput("a rule is for its own tenant")
        detail = f"{rule.describe()}: {_listed(repository, paths)}"
        with self._policy(principal, "access set", detail, changes=True) as policy:
            policy.set_manual_rule(repository, paths, rule)

    def revoke(
        self,
        principal: Principal,
        repository: str,
        paths: Sequence[str],
        readers: frozenset[str] = frozenset(),
    ) -> None:
        """These groups may no longer read; without any, nobody may."""
        detail = f"{', '.join(sorted(readers)) or EVERYONE}: {_listed(repository, paths)}"
        with self._policy(principal, "access revoke", detail, changes=True) as policy:
            policy.revoke(repository, paths, readers)

    def reset_access(
        self,
        principal: Principal,
        repository: str,
        paths: Sequence[str],
        *,
        history: bool = False,
    ) -> None:
        """Removes the manual rules: what files say counts again.

        With `history`, what they say now counts for older versions too.
        """
        detail = _listed(repository, paths) + (" with history" if history else "")
        with self._policy(principal, "access reset", detail, changes=True) as policy:
            policy.reset(repository, paths, history=history)

    def sources(
        self, principal: Principal, repository: str | None = None
    ) -> tuple[BranchSource, ...]:
        """Where each branch is filled from."""
        with self._policy(principal, "access sources", repository or "") as policy:
            return policy.sources(repository)

    def set_source(
        self, principal: Principal, repository: str, branch: str, source: SourceLocation
    ) -> None:
        """From the next ingest on, the branch is filled from there."""
        detail = f"{repository} {branch}: {source.describe()}"
        with self._policy(principal, "access set-source", detail, changes=True) as policy:
            policy.set_source(repository, branch, source)

    def set_default_branch(self, principal: Principal, repository: str, branch: str) -> None:
        """The branch whose statements count on every other."""
        detail = f"{repository} {branch}"
        with self._policy(principal, "access default-branch", detail, changes=True) as policy:
            policy.set_default_branch(repository, branch)

    def people(self, principal: Principal) -> tuple[Person, ...]:
        with self._policy(principal, "principals list") as policy:
            return policy.people()

    def person(self, principal: Principal, name: str) -> Person:
        """By name, to ask in theirs. Their question leaves the audit row."""
        with (
            audited_action(self.audit, principal, "principals find", right=ACCESS, silently=True),
            self.store.access_policy(principal.tenant) as policy,
        ):
            return _known(policy, name)

    def add_person(self, principal: Principal, person: Person) -> None:
        """A right can be given only by someone who has it."""
        _check(person, principal)
        lists = (person.groups, person.labels, person.rights)
        groups, labels, rights = (" ".join(sorted(names)) or "none" for names in lists)
        detail = (
            f"{person.id}: groups {groups}; labels {labels}; clearance {person.clearance}; "
            f"rights {rights}"
        )
        with self._policy(principal, "principals add", detail, changes=True) as policy:
            if lacking := sorted(person.rights - principal.rights):
                raise NotAuthorized(f"{principal.id} lacks the right {lacking[0]!r} themselves")
            policy.add_person(person)

    def remove_person(self, principal: Principal, name: str) -> None:
        """Their API keys go first, so that no later person of that name gets them."""
        with self._policy(principal, "principals rm", name, changes=True) as policy:
            for key in self.api_keys.list_keys(principal.tenant):
                if key.principal == name:
                    self.api_keys.remove(principal.tenant, key.id)
            if not policy.remove_person(name):
                raise _nobody(policy, name)

    def keys(self, principal: Principal) -> tuple[ApiKey, ...]:
        with audited_action(self.audit, principal, "keys list", right=ACCESS):
            return self.api_keys.list_keys(principal.tenant)

    def add_key(self, principal: Principal, key: ApiKey, secret_hash: bytes) -> None:
        """For a person of the same tenant who has no right that the giver lacks."""
        if key.tenant != principal.tenant:
            raise BadInput("a key is for somebody of the tenant of who gives it")
        if not key.note.isprintable() or len(key.note) > MAX_NAME_CHARACTERS:
            raise BadInput(f"a note is one line of up to {MAX_NAME_CHARACTERS} characters")
        until = f" until {key.expires}" if key.expires else ""
        detail = f"{key.id}: for {key.principal}{until}"
        with self._policy(principal, "keys add", detail, changes=True) as policy:
            if lacking := sorted(_known(policy, key.principal).rights - principal.rights):
                raise NotAuthorized(f"{principal.id} lacks the right {lacking[0]!r} themselves")
            self.api_keys.add(key, secret_hash)

    def remove_key(self, principal: Principal, key_id: str) -> None:
        """It is refused from the next request on."""
        with audited_action(self.audit, principal, "keys rm", right=ACCESS, changes=key_id):
            if not self.api_keys.remove(principal.tenant, key_id):
                known = [key.id for key in self.api_keys.list_keys(principal.tenant)]
                raise NotVisible(f"there is no API key {key_id!r}; {suggest(key_id, known)}")

    def audit_entries(
        self, principal: Principal, *, last: int | None = None, who: str | None = None
    ) -> tuple[AuditEntry, ...]:
        with audited_action(self.audit, principal, "audit list", right=AUDITOR):
            found = self.audit.entries(principal.tenant, last=last, principal=who)
            if who is not None and not found:
                known = self.audit.principals(principal.tenant)
                raise NotVisible(f"the audit log has no row of {who!r}; {suggest(who, known)}")
            return found

    def audit_verify(self, principal: Principal, anchor: Anchor | None = None) -> AuditVerdict:
        with audited_action(self.audit, principal, "audit verify", right=AUDITOR):
            return self.audit.verify(principal.tenant, anchor)

    def audit_anchor(self, principal: Principal) -> Anchor | None:
        with audited_action(self.audit, principal, "audit anchor", right=AUDITOR):
            return self.audit.seal(principal.tenant)

    def prune(self, principal: Principal, repository: str, branch: str, keep: int) -> PruneResult:
        detail = f"{repository} {branch}, {keep} kept"
        with audited_action(self.audit, principal, "prune", right=INGEST, changes=detail):
            try:
                return self.store.prune(principal.tenant, repository, branch, keep)
            except NotVisible as error:
                visible = [info.name for info in self.store.snapshots(principal)]
                selector = SnapshotSelector(repository, branch)
                raise nothing_visible(selector, visible) from error

    def reindex(self, principal: Principal) -> ReindexResult:
        """The external vector index of the whole store, of all tenants."""
        with audited_action(self.audit, principal, "reindex", right=INGEST, changes=""):
            return self.store.reindex()

    def verify(self, principal: Principal) -> VerifyReport:
        """The whole store, of all tenants."""
        with audited_action(self.audit, principal, "verify", right=INGEST):
            return self.store.verify()


def _known(policy: AccessPolicyStore, name: str) -> Person:
    found = policy.person(name)
    if found is None:
        raise _nobody(policy, name)
    return found


def _nobody(policy: AccessPolicyStore, name: str) -> NotVisible:
    others = [person.id for person in policy.people()]
    return NotVisible(f"nobody is called {name!r}; {suggest(name, others)}")


def _check(person: Person, principal: Principal) -> None:
    if person.tenant != principal.tenant:
        raise BadInput("a person belongs to the tenant of who adds them")
    check_names([person.id, *sorted(person.groups | person.labels)])
    if person.id in (LOCAL, EVERYONE):
        raise BadInput(f"{person.id!r} has a meaning of its own")
    if not 0 <= person.clearance <= HIGHEST:
        raise BadInput(f"a clearance is a number from 0 to {HIGHEST:,}")
    for right in sorted(person.rights):
        if right not in RIGHTS:
            raise BadInput(f"no right is called {right!r}; {suggest(right, RIGHTS)}")


def _listed(repository: str, paths: Sequence[str]) -> str:
    return f"{repository}: {', '.join(paths)}"
