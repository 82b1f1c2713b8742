"""The rulebook of one ingest: all who speak on who may read a document."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from docgraph.ingest.access_file import ACCESS_FILE, access_lines, written
from docgraph.ingest.parsed import Parsed
from docgraph.model.access import FRONT_MATTER, AccessRule, Spoken
from docgraph.model.access_lines import AccessLines
from docgraph.ports.source import Problem, Source, SourceFile

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

    def of(self, path: str, parsed: Parsed, also: tuple[str, ...] = ()) -> tuple[Spoken, ...]:
        """Of a document that was just read."""
        access = parsed.access
        return self.told(path, None if access is None else written(self.tenant, access), also)

    def told(
        self, path: str, written: Spoken | None, also: tuple[str, ...] = ()
    ) -> tuple[Spoken, ...]:
        """`written` is what the document says of itself, `also` where else the same file lies."""
        found: list[Spoken] = []
        if self.lines is not None:
            words = (self.lines.spoken(self.tenant, place) for place in (path, *also))
            found += dict.fromkeys(words)  # what one line says of several places is one word
        if written is not None:
            found.append(written)
        if self.options is not None:
            found.append(Spoken(OPTIONS, 0, "", self.options(path)))
        if not found and self.otherwise is not None:
            found.append(Spoken(DEFAULT, 0, "nobody speaks of it", self.otherwise))
        if self.narrowed_by is not None:
            found.append(Spoken(OPTIONS, 0, "", self.narrowed_by))
        return tuple(found)

    def again(
        self, path: str, before: Iterable[Spoken], also: tuple[str, ...] = ()
    ) -> tuple[Spoken, ...]:
        """Of a document that is not read again: what it says of itself is what it said before."""
        written = next((word for word in before if word.source == FRONT_MATTER), None)
        return self.told(path, written, also)


@dataclass(frozen=True, slots=True)
class AccessFile:
    """What access.yaml says, None where there is none, and what is wrong with it."""

    lines: AccessLines | None
    problems: tuple[Problem, ...]


def read_access(source: Source, file: SourceFile | Problem | None, tenant: str) -> AccessFile:
    """A file that is there and cannot be read denies everything; so does a misspelt one."""
    data = source.read(file) if isinstance(file, SourceFile) else file
    if data is None:
        return AccessFile(None, ())
    if isinstance(data, Problem):
        wrong = data.reason if data.path == ACCESS_FILE else f"{data.path}: {data.reason}"
        return AccessFile(AccessLines((), wrong), (data,))
    return AccessFile(*access_lines(data, tenant))
