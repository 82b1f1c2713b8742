"""The access book: rules set by hand and people, outside all snapshots. Changes count at once."""

from collections.abc import Sequence
from typing import Protocol

from docgraph.model.access import AccessRule, Person
from docgraph.model.access_decision import PathAccess


class AccessBook(Protocol):
    """One tenant's. No change waits for an ingest."""

    def documents(self, repository: str | None = None) -> tuple[PathAccess, ...]:
        """Every path that any snapshot holds, by repository, branch and path."""
        ...

    def explain(self, path: str, repository: str | None = None) -> tuple[PathAccess, ...]:
        """The same for one path."""
        ...

    def set_by_hand(self, repository: str, paths: Sequence[str], rule: AccessRule | None) -> None:
        """On every branch of the repository; None gives the word back to its files."""
        ...

    def people(self) -> tuple[Person, ...]: ...

    def add_person(self, person: Person) -> None:
        """Or change what is known of one."""
        ...

    def remove_person(self, name: str) -> bool: ...
