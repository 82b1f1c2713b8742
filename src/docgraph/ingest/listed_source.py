"""A source that keeps the signatures of the files that it listed."""

from collections.abc import Iterator

from docgraph.ingest.access_rules import ACCESS_FILE
from docgraph.ingest.formats.registry import NAMES_WITHOUT_SUFFIX, FormatRegistry
from docgraph.ingest.relations_file import RELATIONS_FILE
from docgraph.model.snapshot import SourceLocation
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.ports.source_states import IngestedSource
from docgraph.ports.writes import SourceRevision

_RULES = (ACCESS_FILE, RELATIONS_FILE)


class ListedSource:
    """Signatures are taken before files are read, so that a change during the ingest is seen."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._files: list[SourceFile] = []

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        self._files.clear()
        for file in self._source.files():
            if isinstance(file, SourceFile) and file.signature is not None:
                self._files.append(file)
            yield file

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        return self._source.read(file)

    def ingested(
        self, location: SourceLocation, revision: SourceRevision, formats: FormatRegistry
    ) -> IngestedSource:
        """With files that a format reads, and those that state rules and relations."""
        signatures = {
            file.path: file.signature
            for file in self._files
            if file.signature is not None
            and (file.path in _RULES or formats.find(file) is not None)
        }
        kinds = tuple(sorted({*formats.by_suffix, *NAMES_WITHOUT_SUFFIX, *_RULES}))
        return IngestedSource(location, revision, signatures, kinds)
