"""Sources: where an ingest reads its files from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable file below the source's root; `path` uses forward slashes.

    `title` and `format` are given where the source knows them; else they come from text and suffix.
    `content_id` names the file's bytes, where the source knows a name: equal ids mean equal bytes.
    `aliases` are other paths of the same file: access rules on them count on this one too.
    """

    path: str
    size: int
    title: str | None = None
    format: str | None = None
    content_id: str | None = None
    aliases: tuple[str, ...] = ()


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
