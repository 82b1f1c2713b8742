"""The rulebook of one ingest: all who speak on who may read a document."""

from collections.abc import Callable
from dataclasses import dataclass

from docgraph.ingest.access_file import ACCESS_FILE, access_lines, written
from docgraph.ingest.parsed import Parsed
from docgraph.model.access import FRONT_MATTER, AccessRule, Spoken
from docgraph.model.access_lines import AccessLines
from docgraph.ports.source import Problem, Source, SourceFile
from docgraph.ports.writes import HeldDocument

OPTIONS = "ingest options"
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Rulebook:
    """`lines` are those of access.yaml, `options` what the ingest itself was told.

    `otherwise` counts where nobody speaks; without it, nobody reads what nobody speaks of.
    `narrowed_by` counts beside whoever speaks.
    """

    tenant: str
    lines: AccessLines | None = None
    options: Callable[[str], AccessRule] | None = None
    otherwise: AccessRule | None = None
    narrowed_by: AccessRule | None = None

    def of(self, path: str, parsed: Parsed) -> tuple[Spoken, ...]:
        """Of a document that was just read."""
        access = parsed.access
        return self.told(path, None if access is None else written(self.tenant, access))

    def told(self, path: str, written: Spoken | None) -> tuple[Spoken, ...]:
        """`written` is what the document says of itself."""
        found: list[Spoken] = []
        if self.lines is not None:
            found.append(self.lines.spoken(self.tenant, path))
        if written is not None:
            found.append(written)
        if self.options is not None:
            found.append(Spoken(OPTIONS, 0, "", self.options(path)))
        if not found and self.otherwise is not None:
            found.append(Spoken(DEFAULT, 0, "nobody speaks of it", self.otherwise))
        if self.narrowed_by is not None:
            found.append(Spoken(OPTIONS, 0, "", self.narrowed_by))
        return tuple(found)

    def again(self, held: HeldDocument) -> tuple[Spoken, ...]:
        """Of a document that is not read again: what it says of itself is what it said."""
        written = next((word for word in held.told if word.source == FRONT_MATTER), None)
        return self.told(held.path, written)


@dataclass(frozen=True, slots=True)
class AccessFile:
    """What access.yaml says, None where there is none, and what is wrong with it."""

    lines: AccessLines | None
    problems: tuple[Problem, ...]


def read_access(source: Source, file: SourceFile | Problem | None, tenant: str) -> AccessFile:
    """A file that is there and cannot be read denies everything."""
    data = source.read(file) if isinstance(file, SourceFile) else file
    if data is None:
        return AccessFile(None, ())
    if isinstance(data, Problem):
        return AccessFile(AccessLines((), wrong=data.reason), (Problem(ACCESS_FILE, data.reason),))
    return AccessFile(*access_lines(data, tenant))
