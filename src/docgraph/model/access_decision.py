"""Who decides: one branch's words, the default branch's, and the rule that was set by hand."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from docgraph.model.access import AccessRule, Spoken, together
from docgraph.model.access_lines import AccessLines

BY_HAND = "by hand"
FIRST_CHOICES = ("main", "master")


@dataclass(frozen=True, slots=True)
class PathAccess:
    """One path on one branch: the rule in force, and all who spoke.

    A rule that was set by hand takes the place of the others; else all of them count.
    """

    repository: str
    branch: str
    path: str
    told: tuple[Spoken, ...]
    by_hand: AccessRule | None
    rule: AccessRule


def default_branch(names: Iterable[str]) -> str | None:
    """`main`, else `master`, else the one that was made first; `names` are in that order."""
    made = list(names)
    return next((name for name in FIRST_CHOICES if name in made), made[0] if made else None)


def inherited(
    tenant: str,
    path: str,
    default: str,
    told: tuple[Spoken, ...] | None,
    lines: AccessLines | None,
) -> tuple[Spoken, ...]:
    """What the default branch says on a path of another one, so that none can widen it.

    `told` is what was said there of the path itself; where it never held that path, its
    access.yaml speaks.
    """
    if told is None:
        told = () if lines is None else (lines.spoken(tenant, path),)
    return tuple(replace(word, source=f"{word.source} of branch {default}") for word in told)


def in_force(tenant: str, told: Iterable[Spoken], by_hand: AccessRule | None) -> AccessRule:
    return together(tenant, told) if by_hand is None else by_hand
