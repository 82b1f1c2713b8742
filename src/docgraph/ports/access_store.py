"""The access book: what was decided by hand, and people. Changes count at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.access import AccessRule, Person
from docgraph.model.access_policy import PathAccess


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many documents of a branch's newest snapshot have a rule, and the first of them."""

    rule: AccessRule
    documents: int
    example: str


class AccessPolicyStore(Protocol):
    """One tenant's. No change waits for an ingest."""

    def documents(self, repository: str | None = None) -> tuple[PathAccess, ...]:
        """Every path that any snapshot holds or a hand decided on, by repository and branch."""
        ...

    def explain(self, path: str, repository: str | None = None) -> tuple[PathAccess, ...]:
        """The same for one path."""
        ...

    def rules(self, repository: str, branch: str) -> tuple[RuleCount, ...]: ...

    def set_by_hand(self, repository: str, paths: Sequence[str], rule: AccessRule) -> None:
        """On every branch of the repository; of several paths all or none."""
        ...

    def revoke(self, repository: str, paths: Sequence[str], groups: frozenset[str]) -> None:
        """From these groups, each of which must be one that may read; from everyone without."""
        ...

    def reset(self, repository: str, paths: Sequence[str]) -> None:
        """Gives the word back to the files."""
        ...

    def set_default_branch(self, repository: str, branch: str) -> None:
        """The branch whose words count on all others."""
        ...

    def people(self) -> tuple[Person, ...]: ...

    def person(self, name: str) -> Person | None: ...

    def add_person(self, person: Person) -> None:
        """Or change what is known of one."""
        ...

    def remove_person(self, name: str) -> bool: ...
