"""Who may read what: a rule on a document, a principal who asks."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from docgraph.model.context import Context
from docgraph.model.errors import NotAllowed

EVERYONE = "everyone"
LOCAL = "local"
INGEST = "ingest"  # may write, prune and verify snapshots
RELATIONS = "relations"  # may add and remove relations by hand
ACCESS = "access"  # may say who may read, and who is who
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
        told = ", ".join(sorted(self.readers))
        if self.labels:
            told += f"; labels {', '.join(sorted(self.labels))} needed"
        return f"{told}; level {self.level}" if self.level else told

    def intersect(self, other: "AccessRule") -> "AccessRule":
        """Lets in nobody whom either rule keeps out. Rules of two tenants let nobody in."""
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


@dataclass(frozen=True, slots=True)
class AccessStatement:
    """One word on who may read a document: in which source, on which line (0: none), in answer
    to what (a pattern, or what is wrong), and the rule."""

    source: str
    line: int
    says: str
    rule: AccessRule


def intersect_rules(tenant: str, told: Iterable[AccessStatement]) -> AccessRule:
    """What all of them let through; where nobody speaks, nobody reads."""
    rules = [spoken.rule for spoken in told]
    return reduce(AccessRule.intersect, rules) if rules else AccessRule(tenant)


@dataclass(frozen=True, slots=True)
class Person:
    """Someone the store knows by name: what `login` makes a Principal of."""

    id: str
    tenant: str
    groups: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    clearance: int = 0
    rights: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Principal:
    """Someone whose identity a door has verified. Only `principals` makes one.

    `by` is the key, or the issuer of the token, that they came in by (model/access.py), or who
    asks in their name; empty at the keyboard.
    """

    id: str
    tenant: str
    groups: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    clearance: int = 0
    rights: frozenset[str] = frozenset()
    by: str = ""

    def may_read(self, rule: AccessRule) -> bool:
        """Any reader group suffices, every label must be held, the level must be cleared."""
        return (
            rule.tenant == self.tenant
            and (EVERYONE in rule.readers or not self.groups.isdisjoint(rule.readers))
            and rule.labels <= self.labels
            and rule.level <= self.clearance
        )

    def require(self, right: str) -> None:
        """In the same words whatever there is or is not."""
        if right not in self.rights:
            raise NotAllowed(f"this needs the right {right!r}, which {self.id} does not have")

    def read_reason(self, rule: AccessRule) -> str:
        """Why a readable document is readable, told in the reader's own rights alone."""
        groups = sorted(self.groups & rule.readers)
        who = f"group {groups[0]}" if groups else EVERYONE
        held = f", labels {' '.join(sorted(rule.labels))}" if rule.labels else ""
        level = f", level {rule.level} cleared" if rule.level else ""
        return f"readable by {who}{held}{level}"


LOCAL_ONLY = AccessRule(tenant=LOCAL, readers=frozenset({LOCAL}))


# Egress: what may be sent to a model that runs elsewhere.


@dataclass(frozen=True, slots=True)
class Clearance:
    """The labels and the level of a model endpoint: what it may read, like a reader's own.

    Who asks holds the groups; an endpoint needs none.
    """

    labels: frozenset[str] = frozenset()
    level: int = 0

    def covers(self, labels: frozenset[str], level: int) -> bool:
        """Every label of the document must be held, and its level must not be above."""
        return labels <= self.labels and level <= self.level

    def reason_against(self, labels: frozenset[str], level: int) -> str:
        """Why a document is not admitted; nothing, if it is."""
        lacking = " ".join(sorted(labels - self.labels))
        objections = [f"the endpoint lacks labels {lacking}"] if lacking else []
        if level > self.level:
            objections.append(f"level {level} is above the endpoint's {self.level}")
        return ", ".join(objections)


UNCLASSIFIED = Clearance()  # what no label marks, at level 0


def may_send(ceiling: Clearance | None, labels: frozenset[str], level: int) -> bool:
    """A model without a ceiling runs in this process: what it reads goes nowhere."""
    return ceiling is None or ceiling.covers(labels, level)


def classification_of(context: Context) -> tuple[frozenset[str], int]:
    """All labels of its items, and their highest level: who may read this may read each of them."""
    labels = frozenset[str]().union(*(item.labels for item in context.items))
    return labels, max((item.level for item in context.items), default=0)


# API keys: a secret stands for a person whom the store knows; the secret itself is not kept.


@dataclass(frozen=True, slots=True)
class ApiKey:
    """`id` is public and stands in lists and in the audit log; times are ISO 8601 in UTC.

    The person's groups, labels, clearance and rights are those they have when the key is shown.
    """

    id: str
    tenant: str
    person: str
    created: str
    expires: str | None = None
    note: str = ""


# Kinds of credential: by what somebody came in, as `by` of a Principal tells it.


KEY, TOKEN = "key", "token"


def by_key(key_id: str) -> str:
    return f"{KEY} {key_id}"


def by_token(issuer: str) -> str:
    return f"{TOKEN} {issuer}"


def key_in(by: str) -> str | None:
    """The id of the key that was shown, if one was."""
    kind, _, key_id = by.partition(" ")
    return key_id if kind == KEY and key_id else None


def issuer_in(by: str) -> str | None:
    kind, _, issuer = by.partition(" ")
    return issuer if kind == TOKEN and issuer else None


def credential_kind(by: str) -> str:
    """All keys are one kind: whoever changes theirs stays who they are. Each issuer is one."""
    return by if key_in(by) is None else KEY
