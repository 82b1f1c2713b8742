"""Who may read what: a rule on a document, a principal who asks."""

from dataclasses import dataclass

EVERYONE = "everyone"
LOCAL = "local"


@dataclass(frozen=True, slots=True)
class AccessRule:
    """No readers means nobody; `everyone` has to be written out."""

    tenant: str
    readers: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    level: int = 0


@dataclass(frozen=True, slots=True)
class Principal:
    """Someone whose identity a door has verified. Only `doors.login` makes one."""

    id: str
    tenant: str
    groups: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    clearance: int = 0

    def may_read(self, rule: AccessRule) -> bool:
        """Any reader group suffices, every label must be held, the level must be cleared."""
        return (
            rule.tenant == self.tenant
            and (EVERYONE in rule.readers or not self.groups.isdisjoint(rule.readers))
            and rule.labels <= self.labels
            and rule.level <= self.clearance
        )

    def grounds(self, rule: AccessRule) -> str:
        """Why a readable document is readable, told in the reader's own rights alone."""
        groups = sorted(self.groups & rule.readers)
        who = f"group {groups[0]}" if groups else EVERYONE
        held = f", labels {' '.join(sorted(rule.labels))}" if rule.labels else ""
        level = f", level {rule.level} cleared" if rule.level else ""
        return f"readable by {who}{held}{level}"


LOCAL_ONLY = AccessRule(tenant=LOCAL, readers=frozenset({LOCAL}))
