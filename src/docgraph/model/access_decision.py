"""Who decides: one branch's words, the default branch's, and what was decided by hand."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from docgraph.model.access import EVERYONE, AccessRule, Spoken, together
from docgraph.model.access_lines import AccessLines

BY_HAND = "by hand"
FIRST_CHOICES = ("main", "master")  # of the branches that a question may mean


@dataclass(frozen=True, slots=True)
class Hand:
    """What people decided on a path, whatever files say.

    `rule` takes the place of theirs. From the `revoked` groups the right was taken away, and
    where it is `closed`, from everyone.
    """

    rule: AccessRule | None = None
    revoked: frozenset[str] = frozenset()
    closed: bool = False

    def without(self, groups: frozenset[str]) -> "Hand":
        """No groups are all of them."""
        if not groups:
            return replace(self, closed=True)
        return replace(self, revoked=self.revoked | groups)


@dataclass(frozen=True, slots=True)
class PathAccess:
    """One path on one branch: the rule in force, and all who spoke.

    Where no snapshot holds the path any more, `branch` is empty: what was decided by hand stays.
    """

    repository: str
    branch: str
    path: str
    told: tuple[Spoken, ...]
    by_hand: Hand | None
    rule: AccessRule


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


def in_force(tenant: str, told: Iterable[Spoken], hand: Hand | None) -> AccessRule:
    """Where everyone may read, no single group can be kept out: then nobody may. A rule for
    another tenant lets nobody in."""
    rule = together(tenant, told) if hand is None or hand.rule is None else hand.rule
    revoked = frozenset[str]() if hand is None else hand.revoked
    closed = hand is not None and hand.closed
    if closed or rule.tenant != tenant or (revoked and EVERYONE in rule.readers):
        return replace(rule, tenant=tenant, readers=frozenset())
    return replace(rule, readers=rule.readers - revoked)


def hand_key(path: str) -> str:
    """The same name spelt with other code points is the same name."""
    return unicodedata.normalize("NFC", path)


def spellings(path: str) -> tuple[str, ...]:
    """Under which a path may be stored that is typed like this."""
    forms = (hand_key(path), unicodedata.normalize("NFD", path))
    return tuple(dict.fromkeys((path, *forms)))
