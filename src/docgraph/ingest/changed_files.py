"""Reads a source's files one by one, and builds the documents that are new or changed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from docgraph.ingest.access_rules import AccessRules
from docgraph.ingest.build_document import make_fingerprint
from docgraph.ingest.discover import SourceListing
from docgraph.ingest.formats.registry import Format
from docgraph.ingest.miners.registry import SHIPPED_MINERS, MinerRegistry
from docgraph.ingest.parse_file import SHIPPED_PARSER, FileParser, ParsedDocument, ParseTask
from docgraph.ingest.result import Renamed
from docgraph.model.access import AccessStatement
from docgraph.model.digest import digest_bytes
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.ports.writes import BuiltDocument, StoredDocument, text_key

KEPT = "its front matter no longer says who may read, so what it said last stays in force: {}"


class ChangedFiles:
    """Keeps the texts of a few files at a time in memory, and the paths of all.

    `find_problem` is asked with a path and its access statements whether it may be ingested.
    `parser` parses what has changed, with the same `miners`.
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
        parser: FileParser = SHIPPED_PARSER,
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
        self._parser = parser
        self._new: dict[str, list[str]] = {}
        self._built: dict[str, tuple[AccessStatement, ...]] = {}
        self._refused: dict[str, tuple[AccessStatement, ...]] = {}
        self.problems: list[SourceProblem] = list(listing.problems)
        self.remarks: list[SourceProblem] = []
        self.unchanged: list[str] = []
        self.changed: list[str] = []
        self.added = 0

    def build(self) -> Iterator[BuiltDocument | None]:
        """One result for every file, by path: None for one that is unchanged or unusable."""
        tasks = (self._read(file, file_format) for file, file_format in self._listing.files)
        results = self._parser.parse(tasks)
        for (file, _), result in zip(self._listing.files, results, strict=True):
            built = self._admit(file, result) if isinstance(result, ParsedDocument) else result
            if isinstance(built, SourceProblem):
                self.problems.append(built)
            yield None if isinstance(built, SourceProblem) else built

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.unchanged)

    def sizes(self) -> dict[str, int]:
        """Of the files of all documents, by path."""
        paths = {*self.unchanged, *self._built}
        return {file.path: file.size for file, _ in self._listing.files if file.path in paths}

    def removed(self) -> list[str]:
        """Paths of the newest snapshot that are no longer in the source."""
        return sorted(self._stored.keys() - {*self.unchanged, *self.changed})

    def renew_statements(self) -> dict[str, tuple[AccessStatement, ...]]:
        """The access statements of documents that were not built, by today's rules.

        Those are unchanged ones, removed ones that only old snapshots have, and refused ones.
        """
        unchanged = {
            path: self._rules.renew_statements(path, self._aliases.get(path, ()))
            for path in self.unchanged
        }
        gone = {
            path: self._rules.narrow_statements(path)
            for path in self._rules.stored.by_path
            if path not in self._built and path not in unchanged
        }
        return gone | unchanged | self._refused

    def default_statements(self) -> tuple[AccessStatement, ...]:
        """Of new paths of later ingests."""
        unchanged = (
            self._rules.renew_statements(path, self._aliases.get(path, ()))
            for path in self.unchanged
        )
        return self._rules.default_statements((*self._built.values(), *unchanged))

    def renamed(self) -> tuple[Renamed, ...]:
        """Removed paths with a new path that has the same text; sorted by path, in pairs."""
        added = {content: iter(paths) for content, paths in self._new.items()}
        none: Iterator[str] = iter(())
        moved = (
            (path, next(added.get(self._stored[path].content, none), None))
            for path in self.removed()
        )
        return tuple(Renamed(old, new) for old, new in moved if new is not None)

    def _read(self, file: SourceFile, file_format: Format) -> ParseTask | SourceProblem | None:
        """A file whose source knows a digest of its content need not be read."""
        if file.content_id is not None and self._is_unchanged(file, file_format, file.content_id):
            return None
        data = self._source.read(file)
        if isinstance(data, SourceProblem):
            return data
        content = file.content_id or digest_bytes(data)
        if file.content_id is None and self._is_unchanged(file, file_format, content):
            return None
        fingerprint = self._fingerprint(file, file_format, content)
        return ParseTask(
            file, data, file_format.name, self._repository, fingerprint, self._chunk_size
        )

    def _admit(self, file: SourceFile, parsed: ParsedDocument) -> BuiltDocument | SourceProblem:
        """With its access statements, which decide whether it may be ingested at all."""
        statements = self._rules.statements_for(file.path, parsed.access, file.aliases)
        if problem := self._find_problem(file.path, statements):
            self._refused[file.path] = statements
            return problem
        self._built[file.path] = statements
        self.remarks.extend(SourceProblem(file.path, remark) for remark in parsed.remarks)
        kept = self._rules.kept_front_matter(file.path)
        if parsed.access is None and kept is not None:
            self.remarks.append(SourceProblem(file.path, KEPT.format(kept.rule.describe())))
        document = replace(parsed.built.document, statements=statements)
        self._record_change(file.path, document.text)
        return replace(parsed.built, document=document)

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
