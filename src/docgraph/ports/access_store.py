"""Manual access rules and people. A change counts at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docgraph.model.access import AccessRule, Person
from docgraph.model.access_policy import PathAccess
from docgraph.model.snapshot import BranchSource, SourceLocation


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many documents of a branch's newest snapshot have a rule, and the first of them."""

    rule: AccessRule
    documents: int
    example: str


class AccessPolicyStore(Protocol):
    """The rules and people of one tenant. No change waits for an ingest."""

    def documents(self, repository: str | None = None) -> tuple[PathAccess, ...]:
        """Every path with a document in any snapshot or a manual rule, by repository and branch.

        NotVisible, here and below, of a repository, document or branch that does not exist; the
        message suggests one that does.
        """
        ...

    def explain(self, path: str, repository: str | None = None) -> tuple[PathAccess, ...]:
        """The same for one path."""
        ...

    def rules(self, repository: str, branch: str) -> tuple[RuleCount, ...]: ...

    def set_manual_rule(self, repository: str, paths: Sequence[str], rule: AccessRule) -> None:
        """On every branch of the repository; of several paths all or none."""
        ...

    def revoke(self, repository: str, paths: Sequence[str], groups: frozenset[str]) -> None:
        """These groups lose access, each of which must have it; without groups, everyone does."""
        ...

    def reset(self, repository: str, paths: Sequence[str], *, history: bool = False) -> None:
        """Removes the manual rules: the statements of files and branches count again.

        With `history`, what they state now counts for older versions too, also where it is wider.
        """
        ...

    def set_default_branch(self, repository: str, branch: str) -> None:
        """The branch whose statements count on all others."""
        ...

    def sources(self, repository: str | None = None) -> tuple[BranchSource, ...]:
        """Where each branch is filled from, by repository and branch."""
        ...

    def set_source(self, repository: str, branch: str, source: SourceLocation) -> None:
        """The next ingest of the branch reads this source."""
        ...

    def people(self) -> tuple[Person, ...]: ...

    def person(self, name: str) -> Person | None: ...

    def add_person(self, person: Person) -> None:
        """Adds a person, or replaces one of the same name."""
        ...

    def remove_person(self, name: str) -> bool: ...
