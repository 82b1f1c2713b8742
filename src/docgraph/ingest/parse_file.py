"""Parses one file into the document that is stored: by its format, then by every miner."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from docgraph.ingest.build_document import build_document
from docgraph.ingest.formats.registry import read_file
from docgraph.ingest.miners.registry import MinerFailed
from docgraph.ingest.parsed_file import AccessMapping
from docgraph.ingest.registries import SHIPPED, Registries
from docgraph.ports.source import SourceFile, SourceProblem
from docgraph.ports.writes import BuiltDocument

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ParseTask:
    """A file's bytes, and what its document is made with; `format` is the format's name."""

    file: SourceFile
    data: bytes
    format: str
    repository: str
    fingerprint: str
    chunk_size: int


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document without access statements, and what the file itself says about access."""

    built: BuiltDocument
    access: AccessMapping | None = None
    remarks: tuple[str, ...] = ()


ParseResult = ParsedDocument | SourceProblem


class FileParser(Protocol):
    def parse(self, items: Iterable[ParseTask | T]) -> Iterator[ParseResult | T]:
        """One result for every task, in the same order; other items are passed on as they are.

        Items are requested ahead of their results.
        """
        ...


def parse_file(task: ParseTask, registries: Registries) -> ParseResult:
    """Whatever a reader or a miner raises is a problem of this file; running out of memory is
    raised, since what has been loaded may be damaged."""
    file = task.file
    try:
        parsed = read_file(file, task.data, registries.formats.by_name[task.format])
        if isinstance(parsed, SourceProblem):
            return parsed
        built = build_document(
            task.repository,
            file.path,
            parsed,
            (),
            task.fingerprint,
            task.chunk_size,
            miners=registries.miners,
        )
    except MemoryError:
        raise
    except RecursionError:
        return SourceProblem(file.path, "nested too deeply to be read")
    except MinerFailed as error:
        return SourceProblem(file.path, str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001  the file is named with the error
        reason = f"{type(error).__name__}: {error}"
        return SourceProblem(file.path, f"the reader of {task.format!r} failed: {reason}")
    return ParsedDocument(built, parsed.access, parsed.remarks)


@dataclass(frozen=True, slots=True)
class InProcessParser:
    """Parses in this process, one file after the other, without limits."""

    registries: Callable[[], Registries]

    def parse(self, items: Iterable[ParseTask | T]) -> Iterator[ParseResult | T]:
        registries = self.registries()
        for item in items:
            yield parse_file(item, registries) if isinstance(item, ParseTask) else item


SHIPPED_PARSER = InProcessParser(lambda: SHIPPED)
