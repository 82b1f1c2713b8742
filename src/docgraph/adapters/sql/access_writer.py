"""Writing a branch's access statements; they take effect when the snapshot is published."""

from collections.abc import Iterable, Mapping

from docgraph.adapters.sql.access_rows import statements_from_json, statements_to_json
from docgraph.adapters.sql.pending_snapshot import PendingSnapshot
from docgraph.adapters.sql.repository_access import RepositoryAccess
from docgraph.model.access import AccessRule, AccessStatement
from docgraph.model.access_policy import AccessFileRules
from docgraph.model.document import Document


class SqlAccessWriter:
    """`classed` says that access classes are needed before publication."""

    def __init__(
        self, pending: PendingSnapshot, access: RepositoryAccess, *, classed: bool
    ) -> None:
        self._pending = pending
        self._access = access
        self._classed = classed
        self._file_rules = access.file_rules(pending.branch)
        self._statements: dict[str, str] = {}
        self._renamed: list[tuple[str, str]] = []
        self._json: dict[tuple[AccessStatement, ...], str] = {}

    def statements(self) -> dict[str, tuple[AccessStatement, ...]]:
        stored = self._access.statements(self._pending.branch)
        return {path: statements_from_json(own) for path, own in stored.items()}

    def set_statements(self, statements: Mapping[str, tuple[AccessStatement, ...]]) -> None:
        stored = self._access.statements(self._pending.branch)
        for path, own in statements.items():
            text = self._to_json(own)
            if stored.get(path) != text:
                self._statements[path] = text
                self._pending.changed = True

    def set_file_rules(self, rules: AccessFileRules | None) -> None:
        self._pending.changed |= rules != self._file_rules
        self._file_rules = rules

    def move_manual_rules(self, renamed: Iterable[tuple[str, str]]) -> None:
        self._renamed.extend(renamed)

    def effective_rule(self, path: str, statements: tuple[AccessStatement, ...]) -> AccessRule:
        access = self._access.inherited((path,))
        return access.effective_rule(self._pending.branch, path, statements)

    def classes(self, documents: Iterable[Document]) -> dict[str, int]:
        """By path, the access classes as far as they are known before publication."""
        if not self._classed:
            return {}
        statements = {document.path: self._to_json(document.statements) for document in documents}
        return self._access.classes(self._pending.branch, statements)

    def add(self, documents: Iterable[Document]) -> None:
        """The statements of documents that were written."""
        self._statements.update(
            (document.path, self._to_json(document.statements)) for document in documents
        )

    def apply(self) -> None:
        """Inside the transaction that publishes the snapshot."""
        self._access.set_statements(self._statements, self._file_rules)
        self._access.move_manual_rules(self._renamed)

    def clear(self) -> None:
        """After the publication: what it applied is pending no more."""
        self._statements.clear()
        self._renamed.clear()

    def _to_json(self, statements: tuple[AccessStatement, ...]) -> str:
        """One string for all documents with the same statements, however many they are."""
        return self._json.setdefault(statements, statements_to_json(statements))
