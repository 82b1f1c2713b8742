"""The intake: reads a source's files one by one, and builds what is new or changed."""

from collections.abc import Callable, Iterator, Mapping

from docgraph.ingest.build import Built, build, fingerprint, nodes_of
from docgraph.ingest.mine.corpus import Sketch, sketched
from docgraph.ingest.names import names
from docgraph.ingest.parsed import Parsed
from docgraph.ingest.readers import Format, read
from docgraph.ingest.survey import Survey
from docgraph.model.access import AccessRule
from docgraph.model.digest import digest_bytes
from docgraph.ports.source import Problem, Source, SourceFile
from docgraph.ports.writes import HeldDocument


class Intake:
    """Holds a sketch of every file that it has read, and the text of one at a time."""

    def __init__(
        self,
        source: Source,
        found: Survey,
        held: Mapping[str, HeldDocument],
        repository: str,
        rule_for: Callable[[str], AccessRule],
        size: int,
    ) -> None:
        self._source = source
        self._found = found
        self._held = held
        self._repository = repository
        self._rule_for = rule_for
        self._size = size
        self.sketches: list[Sketch] = []
        self.problems: list[Problem] = list(found.problems)
        self.remarks: list[Problem] = []
        self.unchanged: list[str] = []
        self.added = 0
        self.changed = 0

    def built(self) -> Iterator[Built | None]:
        """One answer for every file, by path: None for one that is unchanged or unusable."""
        for file, known in self._found.files:
            made = self._read(file, known)
            if isinstance(made, Problem):
                self.problems.append(made)
            yield None if isinstance(made, Problem) else made

    def _read(self, file: SourceFile, known: Format) -> Built | Problem | None:
        data = self._source.read(file)
        if isinstance(data, Problem):
            return data
        parsed = read(file, data, known)
        if isinstance(parsed, Problem):
            return parsed
        mark = fingerprint(file, digest_bytes(data), known.name, self._size)
        return self._taken(file.path, parsed, mark)

    def _taken(self, path: str, parsed: Parsed, mark: str) -> Built | None:
        self.remarks.extend(Problem(path, remark) for remark in parsed.remarks)
        held = self._held.get(path)
        if held is not None and held.fingerprint == mark:
            self.unchanged.append(path)
            nodes = nodes_of(self._repository, path, parsed)
            self.sketches.append(sketched(path, parsed, nodes, names(path, parsed, nodes)))
            return None
        if held is None:
            self.added += 1
        else:
            self.changed += 1
        made = build(self._repository, path, parsed, self._rule_for(path), mark, self._size)
        document = made.document
        self.sketches.append(sketched(path, parsed, document.nodes, document.names))
        return made
