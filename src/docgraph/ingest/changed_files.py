"""Reads a source's files one by one, and builds the documents that are new or changed."""

from collections.abc import Callable, Iterator, Mapping

from docgraph.ingest.access_rules import AccessRules
from docgraph.ingest.build_document import build_document, make_fingerprint
from docgraph.ingest.discover import SourceListing
from docgraph.ingest.formats.registry import Format, read_file
from docgraph.ingest.miners.registry import SHIPPED_MINERS, MinerRegistry
from docgraph.ingest.result import Renamed
from docgraph.model.access import AccessStatement
from docgraph.model.digest import digest_bytes
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.ports.writes import BuiltDocument, StoredDocument, text_key


class ChangedFiles:
    """Keeps the text of one file at a time in memory, and the paths of all.

    `find_problem` is asked with a path and its access statements whether it may be ingested.
    """

    def __init__(
        self,
        source: Source,
        listing: SourceListing,
        stored: Mapping[str, StoredDocument],
        repository: str,
        rules: AccessRules,
        chunk_size: int,
        *,
        find_problem: Callable[
            [str, tuple[AccessStatement, ...]], SourceProblem | None
        ] = lambda *_: None,
        miners: MinerRegistry = SHIPPED_MINERS,
    ) -> None:
        self._source = source
        self._listing = listing
        self._stored = stored
        self._aliases = {file.path: file.aliases for file, _ in listing.files if file.aliases}
        self._repository = repository
        self._rules = rules
        self._chunk_size = chunk_size
        self._find_problem = find_problem
        self._miners = miners
        self._new: dict[str, list[str]] = {}
        self._built: set[str] = set()
        self._refused: dict[str, tuple[AccessStatement, ...]] = {}
        self.problems: list[SourceProblem] = list(listing.problems)
        self.remarks: list[SourceProblem] = []
        self.unchanged: list[str] = []
        self.changed: list[str] = []
        self.added = 0

    def build(self) -> Iterator[BuiltDocument | None]:
        """One result for every file, by path: None for one that is unchanged or unusable."""
        for file, file_format in self._listing.files:
            result = self._read(file, file_format)
            if isinstance(result, SourceProblem):
                self.problems.append(result)
            yield None if isinstance(result, SourceProblem) else result

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.unchanged)

    def removed(self) -> list[str]:
        """Paths of the newest snapshot that are no longer in the source."""
        return sorted(self._stored.keys() - {*self.unchanged, *self.changed})

    def renew_statements(
        self, before: Mapping[str, tuple[AccessStatement, ...]]
    ) -> dict[str, tuple[AccessStatement, ...]]:
        """The access statements of documents that were not built, by today's rules.

        Those are unchanged ones, removed ones that only old snapshots have, and refused ones.
        `before` has all earlier statements, by path.
        """
        renewed = {
            path: self._rules.renew_statements(path, statements, self._aliases.get(path, ()))
            for path, statements in before.items()
            if path not in self._built
        }
        return renewed | self._refused

    def renamed(self) -> tuple[Renamed, ...]:
        """Removed paths with a new path that has the same text; sorted by path, in pairs."""
        added = {content: iter(paths) for content, paths in self._new.items()}
        none: Iterator[str] = iter(())
        moved = (
            (path, next(added.get(self._stored[path].content, none), None))
            for path in self.removed()
        )
        return tuple(Renamed(old, new) for old, new in moved if new is not None)

    def _read(self, file: SourceFile, file_format: Format) -> BuiltDocument | SourceProblem | None:
        """A file whose source knows a digest of its content need not be read."""
        if file.content_id is not None and self._is_unchanged(file, file_format, file.content_id):
            return None
        data = self._source.read(file)
        if isinstance(data, SourceProblem):
            return data
        content = file.content_id or digest_bytes(data)
        if file.content_id is None and self._is_unchanged(file, file_format, content):
            return None
        parsed = read_file(file, data, file_format)
        if isinstance(parsed, SourceProblem):
            return parsed
        statements = self._rules.statements_for(file.path, parsed, file.aliases)
        if problem := self._find_problem(file.path, statements):
            self._refused[file.path] = statements
            return problem
        self._built.add(file.path)
        self.remarks.extend(SourceProblem(file.path, remark) for remark in parsed.remarks)
        self._record_change(file.path, parsed.text)
        fingerprint = self._fingerprint(file, file_format, content)
        return build_document(
            self._repository,
            file.path,
            parsed,
            statements,
            fingerprint,
            self._chunk_size,
            miners=self._miners,
        )

    def _is_unchanged(self, file: SourceFile, file_format: Format, content: str) -> bool:
        stored = self._stored.get(file.path)
        if stored is None or stored.fingerprint != self._fingerprint(file, file_format, content):
            return False
        self.unchanged.append(file.path)
        return True

    def _fingerprint(self, file: SourceFile, file_format: Format, content: str) -> str:
        version = ((file_format.name, file_format.version),) if file_format.version else ()
        versions = (*version, *self._miners.fingerprint)
        return make_fingerprint(file, content, file_format.name, self._chunk_size, versions)

    def _record_change(self, path: str, text: str) -> None:
        if path in self._stored:
            self.changed.append(path)
            return
        self.added += 1
        if self._stored and text:
            self._new.setdefault(text_key(text), []).append(path)
