"""Writing a branch's access statements; they take effect when the snapshot is published."""

from collections.abc import Iterable, Mapping

from docgraph.adapters.sql.access_rows import statements_from_json, statements_to_json
from docgraph.adapters.sql.pending_snapshot import PendingSnapshot
from docgraph.adapters.sql.repository_access import RepositoryAccess
from docgraph.model.access import AccessChanges, AccessRule, AccessStatement, compare_rules
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
        self._defaults = access.default_statements(pending.branch)
        self._may_open = True
        self._statements: dict[str, str] = {}
        self._json: dict[tuple[AccessStatement, ...], str] = {}

    def statements(self) -> dict[str, tuple[AccessStatement, ...]]:
        stored = self._access.statements(self._pending.branch)
        return {path: statements_from_json(own) for path, own in stored.items()}

    def set_statements(
        self, statements: Mapping[str, tuple[AccessStatement, ...]], *, may_open: bool = True
    ) -> None:
        self._may_open = may_open
        stored = self._access.statements(self._pending.branch)
        for path, own in statements.items():
            text = self._to_json(own)
            if stored.get(path) != text:
                self._statements[path] = text
                self._pending.changed = True
        outdated = self._access.outdated(stored | self._statements, may_open=may_open)
        self._pending.changed |= bool(outdated)
        self._statements.update(outdated)

    def default_statements(self) -> tuple[AccessStatement, ...] | None:
        return None if self._defaults is None else statements_from_json(self._defaults)

    def set_default_statements(self, statements: tuple[AccessStatement, ...]) -> None:
        text = self._to_json(statements)
        self._pending.changed |= text != self._defaults
        self._defaults = text

    def file_rules(self) -> AccessFileRules | None:
        return self._file_rules

    def changes(self) -> AccessChanges:
        return compare_rules(self._access.changes)

    def set_file_rules(self, rules: AccessFileRules | None) -> None:
        self._pending.changed |= rules != self._file_rules
        self._file_rules = rules

    def effective_rule(self, path: str, statements: tuple[AccessStatement, ...]) -> AccessRule:
        access = self._access.inherited((path,))
        stated = access.stated_rule(self._pending.branch, path, statements)
        return access.effective_rule(path, stated)

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
        self._access.changes.clear()
        self._access.set_statements(self._statements, self._file_rules, may_open=self._may_open)
        if self._defaults is not None:
            self._access.set_default_statements(self._defaults)

    def clear(self) -> None:
        """After the publication: what it applied is pending no more."""
        self._statements.clear()

    def _to_json(self, statements: tuple[AccessStatement, ...]) -> str:
        """One string for all documents with the same statements, however many they are."""
        return self._json.setdefault(statements, statements_to_json(statements))
