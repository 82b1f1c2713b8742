"""Who may read what: access rules, principals, clearances of models, API keys."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from docgraph.model.context import Context
from docgraph.model.errors import NotAuthorized

EVERYONE = "everyone"
LOCAL = "local"
INGEST = "ingest"  # may write, prune and verify snapshots
RELATIONS = "relations"  # may add and remove manual relations
ACCESS = "access"  # may change access rules and people
AUDITOR = "auditor"  # may read the audit log
FRONT_MATTER = "front matter"
RIGHTS = (INGEST, RELATIONS, ACCESS, AUDITOR)


@dataclass(frozen=True, slots=True)
class AccessRule:
    """No readers means nobody; `everyone` has to be written out."""

    tenant: str
    readers: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    level: int = 0

    def describe(self) -> str:
        if not self.readers:
            return "nobody"
        text = ", ".join(sorted(self.readers))
        if self.labels:
            text += f"; labels {', '.join(sorted(self.labels))} needed"
        return f"{text}; level {self.level}" if self.level else text

    def intersect(self, other: "AccessRule") -> "AccessRule":
        """Admits only those whom both rules admit. Rules of two tenants admit nobody."""
        if self.tenant != other.tenant:
            return AccessRule(self.tenant)
        if EVERYONE in self.readers and EVERYONE in other.readers:
            readers = self.readers | other.readers
        elif EVERYONE in self.readers:
            readers = other.readers
        elif EVERYONE in other.readers:
            readers = self.readers
        else:
            readers = self.readers & other.readers
        level = max(self.level, other.level)
        return AccessRule(self.tenant, readers, self.labels | other.labels, level)

    def is_within(self, other: "AccessRule") -> bool:
        """Whether it admits nobody whom the other does not admit."""
        if not self.readers:
            return True
        readers = EVERYONE in other.readers or self.readers <= other.readers
        return (
            self.tenant == other.tenant
            and readers
            and self.labels >= other.labels
            and self.level >= other.level
        )


@dataclass(frozen=True, slots=True)
class AccessStatement:
    """What one source (a line of access.yaml, front matter, …) states on who may read a document.

    `line` is 0 where there is none; `text` is the pattern that matched, or the error.
    """

    source: str
    line: int
    text: str
    rule: AccessRule


def intersect_rules(tenant: str, statements: Iterable[AccessStatement]) -> AccessRule:
    """The rule that satisfies every statement; without a statement nobody may read."""
    rules = [statement.rule for statement in statements]
    return reduce(AccessRule.intersect, rules) if rules else AccessRule(tenant)


@dataclass(frozen=True, slots=True)
class AccessChanges:
    """How many documents more people may read than before, who was added, and how many documents
    fewer people may read. A document may be both: some came, some went."""

    wider: int = 0
    wider_readers: tuple[str, ...] = ()
    narrower: int = 0

    def describe(self) -> str:
        """Empty where nothing changed."""
        parts = []
        if self.wider:
            parts.append(f"{_documents(self.wider)} wider ({', '.join(self.wider_readers)})")
        if self.narrower:
            parts.append(f"{self.narrower if parts else _documents(self.narrower)} narrower")
        return ", ".join(parts)


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count:,} documents"


def compare_rules(changes: Iterable[tuple[AccessRule, AccessRule]]) -> AccessChanges:
    """Of pairs of rules of one document each, the old and the new."""
    wider = narrower = 0
    readers: set[str] = set()
    for old, new in changes:
        narrower += not old.is_within(new)
        if not new.is_within(old):
            wider += 1
            readers |= new.readers - old.readers or new.readers
    return AccessChanges(wider, tuple(sorted(readers)), narrower)


@dataclass(frozen=True, slots=True)
class Person:
    """A person in the store; authentication makes a Principal of one."""

    id: str
    tenant: str
    groups: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    clearance: int = 0
    rights: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Principal:
    """A user whose identity an interface has verified. Only `principals` makes one.

    `by` is the credential they used (see `key_credential`, `token_credential`), or the person who
    impersonates them; empty on the command line.
    """

    id: str
    tenant: str
    groups: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    clearance: int = 0
    rights: frozenset[str] = frozenset()
    by: str = ""

    def may_read(self, rule: AccessRule) -> bool:
        """One reader group suffices; every label and the level are required."""
        return (
            rule.tenant == self.tenant
            and (EVERYONE in rule.readers or not self.groups.isdisjoint(rule.readers))
            and rule.labels <= self.labels
            and rule.level <= self.clearance
        )

    def require(self, right: str) -> None:
        """The message does not depend on what exists."""
        if right not in self.rights:
            raise NotAuthorized(f"this needs the right {right!r}, which {self.id} does not have")

    def read_reason(self, rule: AccessRule) -> str:
        """Why this principal may read; names only groups and labels that they have."""
        groups = sorted(self.groups & rule.readers)
        who = f"group {groups[0]}" if groups else EVERYONE
        labels = f", labels {' '.join(sorted(rule.labels))}" if rule.labels else ""
        level = f", level {rule.level} cleared" if rule.level else ""
        return f"readable by {who}{labels}{level}"


LOCAL_ONLY = AccessRule(tenant=LOCAL, readers=frozenset({LOCAL}))


# Egress: what may be sent to a model that runs elsewhere.


@dataclass(frozen=True, slots=True)
class Clearance:
    """The labels and the level up to which a model endpoint may receive text.

    It has no groups: those of the user who asks are checked before.
    """

    labels: frozenset[str] = frozenset()
    level: int = 0

    def covers(self, labels: frozenset[str], level: int) -> bool:
        """Whether a document with these labels and this level may be sent."""
        return labels <= self.labels and level <= self.level

    def reason_against(self, labels: frozenset[str], level: int) -> str:
        """Why a document may not be sent; empty if it may."""
        missing = " ".join(sorted(labels - self.labels))
        reasons = [f"the endpoint lacks labels {missing}"] if missing else []
        if level > self.level:
            reasons.append(f"level {level} is above the endpoint's {self.level}")
        return ", ".join(reasons)


UNCLASSIFIED = Clearance()  # no labels, level 0


def may_send(clearance: Clearance | None, labels: frozenset[str], level: int) -> bool:
    """A model without a clearance runs in this process, so nothing leaves it."""
    return clearance is None or clearance.covers(labels, level)


def classification_of(context: Context) -> tuple[frozenset[str], int]:
    """All labels of its items, and their highest level."""
    labels = frozenset[str]().union(*(item.labels for item in context.items))
    return labels, max((item.level for item in context.items), default=0)


# API keys: a secret that authenticates a person of the store; only its hash is stored.


@dataclass(frozen=True, slots=True)
class ApiKey:
    """`id` is public: lists and the audit log show it. Times are ISO 8601 in UTC.

    The principal's groups, labels, clearance and rights are read whenever the key is used.
    """

    id: str
    tenant: str
    principal: str
    created: str
    expires: str | None = None
    note: str = ""


# Credentials, as `by` of a Principal names them.


KEY, TOKEN = "key", "token"


def key_credential(key_id: str) -> str:
    return f"{KEY} {key_id}"


def token_credential(issuer: str) -> str:
    return f"{TOKEN} {issuer}"


def credential_key_id(by: str) -> str | None:
    """The id of the API key, if the credential is one."""
    kind, _, key_id = by.partition(" ")
    return key_id if kind == KEY and key_id else None


def credential_issuer(by: str) -> str | None:
    kind, _, issuer = by.partition(" ")
    return issuer if kind == TOKEN and issuer else None


def credential_kind(by: str) -> str:
    """All keys are one kind, so that a user keeps their jobs with a new key. Each issuer is one."""
    return by if credential_key_id(by) is None else KEY
