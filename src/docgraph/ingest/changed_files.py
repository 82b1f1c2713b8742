"""The intake: reads a source's files one by one, and builds what is new or changed."""

from collections.abc import Callable, Iterator, Mapping

from docgraph.ingest.access_rules import AccessRules
from docgraph.ingest.build_document import build_document, make_fingerprint
from docgraph.ingest.discover import SourceListing
from docgraph.ingest.formats.registry import Format, read_file
from docgraph.ingest.result import Renamed
from docgraph.model.access import AccessStatement
from docgraph.model.digest import digest_bytes
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.ports.writes import BuiltDocument, StoredDocument, text_key


class ChangedFiles:
    """Holds the text of one file at a time, and of every file no more than its path.

    `refused` says of a path, with what is told of it, why it may not be taken in.
    """

    def __init__(
        self,
        source: Source,
        found: SourceListing,
        held: Mapping[str, StoredDocument],
        repository: str,
        rulebook: AccessRules,
        size: int,
        *,
        refused: Callable[[str, tuple[AccessStatement, ...]], SourceProblem | None] = lambda *_: (
            None
        ),
    ) -> None:
        self._source = source
        self._found = found
        self._held = held
        self._also = {file.path: file.aliases for file, _ in found.files if file.aliases}
        self._repository = repository
        self._rulebook = rulebook
        self._size = size
        self._refused = refused
        self._new: dict[str, list[str]] = {}
        self._built: set[str] = set()
        self._withheld: dict[str, tuple[AccessStatement, ...]] = {}
        self.problems: list[SourceProblem] = list(found.problems)
        self.remarks: list[SourceProblem] = []
        self.unchanged: list[str] = []
        self.changed: list[str] = []
        self.added = 0

    def built(self) -> Iterator[BuiltDocument | None]:
        """One answer for every file, by path: None for one that is unchanged or unusable."""
        for file, known in self._found.files:
            made = self._read(file, known)
            if isinstance(made, SourceProblem):
                self.problems.append(made)
            yield None if isinstance(made, SourceProblem) else made

    @property
    def nothing(self) -> bool:
        return not (self.added or self.changed or self.unchanged)

    def gone(self) -> list[str]:
        """Paths that the newest snapshot holds and the source no longer gives."""
        return sorted(self._held.keys() - {*self.unchanged, *self.changed})

    def told(
        self, before: Mapping[str, tuple[AccessStatement, ...]]
    ) -> dict[str, tuple[AccessStatement, ...]]:
        """Who may read what was not built, by those who speak now.

        That is what is unchanged, what is gone and only old snapshots hold, and what was refused:
        it may not be read any the more for that. `before` is all that was ever said, by path.
        """
        again = {
            path: self._rulebook.renew_statements(path, said, self._also.get(path, ()))
            for path, said in before.items()
            if path not in self._built
        }
        return again | self._withheld

    def renamed(self) -> tuple[Renamed, ...]:
        """What is gone from one path and new at another, with the same text; by path, in pairs."""
        waiting = {content: iter(paths) for content, paths in self._new.items()}
        nowhere: Iterator[str] = iter(())
        moved = (
            (path, next(waiting.get(self._held[path].content, nowhere), None))
            for path in self.gone()
        )
        return tuple(Renamed(old, new) for old, new in moved if new is not None)

    def _read(self, file: SourceFile, known: Format) -> BuiltDocument | SourceProblem | None:
        """A file whose bytes are known by name is not even read."""
        if file.content_id is not None and self._is_held(file, known, file.content_id):
            return None
        data = self._source.read(file)
        if isinstance(data, SourceProblem):
            return data
        content = file.content_id or digest_bytes(data)
        if file.content_id is None and self._is_held(file, known, content):
            return None
        parsed = read_file(file, data, known)
        if isinstance(parsed, SourceProblem):
            return parsed
        told = self._rulebook.statements_for(file.path, parsed, file.aliases)
        if refused := self._refused(file.path, told):
            self._withheld[file.path] = told
            return refused
        self._built.add(file.path)
        self.remarks.extend(SourceProblem(file.path, remark) for remark in parsed.remarks)
        self._note(file.path, parsed.text)
        mark = self._mark(file, known, content)
        return build_document(self._repository, file.path, parsed, told, mark, self._size)

    def _is_held(self, file: SourceFile, known: Format, content: str) -> bool:
        held = self._held.get(file.path)
        if held is None or held.fingerprint != self._mark(file, known, content):
            return False
        self.unchanged.append(file.path)
        return True

    def _mark(self, file: SourceFile, known: Format, content: str) -> str:
        return make_fingerprint(file, content, known.name, self._size)

    def _note(self, path: str, text: str) -> None:
        if path in self._held:
            self.changed.append(path)
            return
        self.added += 1
        if self._held and text:
            self._new.setdefault(text_key(text), []).append(path)
