"""Where ingestion gets its files."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable file below the source's root; `path` uses forward slashes.

    `title` and `format` are given where the source knows them; else the text and the suffix say.
    `content_id` names the file's bytes, where the source knows a name: equal ids mean equal bytes.
    `also` are other paths where the same file lies: what is told of them is told of this one too.
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
