"""What an ingest is told on who may read."""

from collections.abc import Sequence
from dataclasses import dataclass

from docgraph.model.access import EVERYONE, AccessRule
from docgraph.model.checked_names import check_names


@dataclass(frozen=True, slots=True)
class Told:
    """`rule` names readers; `narrowed_by` names none, and counts beside whoever does."""

    rule: AccessRule | None = None
    narrowed_by: AccessRule | None = None


def told_readers(tenant: str, readers: Sequence[str], labels: Sequence[str], level: int) -> Told:
    check_names([*readers, *labels])
    rule = AccessRule(tenant, frozenset(readers or [EVERYONE]), frozenset(labels), level)
    if readers:
        return Told(rule=rule)
    return Told(narrowed_by=rule) if labels or level else Told()
