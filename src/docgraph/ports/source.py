"""Sources: where an ingest reads its files from."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from docgraph.ports.writes import SourceRevision

MAX_FILE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable file below the source's root; `path` uses forward slashes.

    `title` and `format` are given where the source knows them; else they come from text and suffix.
    `content_id` names the file's bytes, where the source knows a name: equal ids mean equal bytes.
    `aliases` are other paths of the same file: access rules on them count on this one too.
    `signature` changes with the file, and is known without reading it.
    """

    path: str
    size: int
    title: str | None = None
    format: str | None = None
    content_id: str | None = None
    aliases: tuple[str, ...] = ()
    signature: tuple[int, ...] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """A file that could not be used, and why; the rest goes on."""

    path: str
    reason: str


class Source(Protocol):
    def files(self) -> Iterator[SourceFile | SourceProblem]:
        """In any order; ingestion sorts."""
        ...

    def read(self, file: SourceFile) -> bytes | SourceProblem: ...


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """What is to be read, what its snapshot is called, and the commit it stands for."""

    source: Source
    repository: str
    branch: str
    origin: SourceRevision


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a caller asks of any source; None leaves the choice to the source.

    `ref` is a branch, tag or commit. Larger files than `max_bytes` are problems, not documents.
    Nothing outside of the folder `inside` is read, if one is given.
    """

    repository: str | None = None
    branch: str | None = None
    ref: str | None = None
    max_bytes: int = MAX_FILE_BYTES
    inside: Path | None = None


@dataclass(frozen=True, slots=True)
class SourceKind:
    """Opens a path or address. `scheme` is what an address begins with, as in `scheme://…`."""

    scheme: str
    open: Callable[[str, SourceOptions], AbstractContextManager[OpenedSource]]
