"""A folder that is watched: what happens in it, and how its files are read again."""

import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docgraph.ports.source import MAX_FILE_BYTES, OpenedSource


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """`repository` and `branch` are as for an ingest; without a branch, that which git has checked
    out is followed. `polling` lists the files again and again, for systems that report no events.
    Files that begin with the path `store` are not watched.
    """

    repository: str | None = None
    branch: str | None = None
    max_bytes: int = MAX_FILE_BYTES
    polling: bool = False
    store: Path | None = None


@dataclass(frozen=True, slots=True)
class CheckoutState:
    """The branch that the files belong to. `mark` changes when git writes other files; `busy`
    says that git is at work."""

    branch: str
    mark: tuple[object, ...] = ()
    busy: bool = False


class WatchedSource(Protocol):
    @property
    def path(self) -> str: ...

    @property
    def repository(self) -> str: ...

    def events(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Paths that changed, in batches of a second at most, until `stop` is set; an empty batch
        a few times a second. The first batch comes once nothing can be missed any more."""
        ...

    def concerns(self, paths: Collection[str]) -> bool:
        """Whether these changes can change what an ingest reads."""
        ...

    def exists(self) -> bool: ...

    def is_same(self) -> bool:
        """Whether it is still the folder whose events are reported."""
        ...

    def state(self) -> CheckoutState: ...

    def has_mark(self, state: CheckoutState) -> bool:
        """Whether git has written nothing since; quick."""
        ...

    def open(self, branch: str) -> OpenedSource: ...
