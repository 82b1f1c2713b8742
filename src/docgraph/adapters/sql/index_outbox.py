"""The outbox of an external index: what it has still to do after the catalogue has committed."""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from docgraph.adapters.sql.checksums import with_checksum
from docgraph.adapters.sql.database import Database
from docgraph.adapters.sql.stored_json import load_values
from docgraph.model.errors import StoreError
from docgraph.ports.indexes import VectorIndex

_LOG = logging.getLogger("docgraph.index")
_AT_ONCE = 10_000  # versions of one entry
LONGEST_QUESTION = 3600.0  # seconds; a session that was opened before a change may last so long
OVERDUE = 86_400.0  # seconds after which `verify` calls an entry forgotten

Operation = Literal["retire", "narrow", "remove"]


@dataclass(frozen=True, slots=True)
class ExternalIndex:
    """An index under the name that settings give it; `clock` gives seconds."""

    name: str
    index: VectorIndex
    clock: Callable[[], float]


class IndexOutbox:
    def __init__(self, database: Database, external: ExternalIndex) -> None:
        self._database = database
        self._sql = database.queries("external.sql")
        self._external = external

    def put(
        self,
        tenant: str,
        operation: Operation,
        versions: Sequence[int],
        *,
        argument: int = 0,
        wait: float = 0,
    ) -> None:
        """Inside the transaction of the change. Due after `wait` seconds."""
        for at in range(0, len(versions), _AT_ONCE):
            row = {
                "tenant": tenant,
                "name": self._external.name,
                "operation": operation,
                "versions": json.dumps(list(versions[at : at + _AT_ONCE])),
                "argument": argument,
                "due": self._external.clock() + wait,
            }
            self._sql.run("put", **with_checksum("index_outbox", row))

    def replay(self) -> None:
        """Outside of any transaction. What fails is kept, and tried at the next open or ingest."""
        name, now = self._external.name, self._external.clock()
        for number, tenant in self._sql.rows("due", index=name, now=now):
            try:
                self._apply(number, tenant)
            except StoreError as error:
                _LOG.warning("index %s: changes put off until the next ingest: %s", name, error)
                return

    def _apply(self, number: int, tenant: str) -> None:
        """In a transaction during which no class changes; another process may have done it."""
        with self._database.transaction():
            self._database.queries("writes.sql").row("lock_access_classes", tenant=tenant)
            entry = self._sql.row("entry", id=number)
            if entry is None:
                return
            operation, listed, argument = entry
            versions: list[int] = load_values(listed, int)
            index = self._external.index
            if operation == "retire":
                index.retire(tenant, versions, argument)
            elif operation == "remove":
                index.remove(tenant, versions)
            else:
                self._narrow(tenant, versions)
            self._sql.run("drop_entry", id=number)

    def _narrow(self, tenant: str, versions: list[int]) -> None:
        """To the classes of now: since the entry was written, they may have changed again."""
        for class_, own in by_class(self._sql.rows("current_classes", versions=versions)).items():
            self._external.index.narrow(tenant, own, class_)

    def waiting(self, tenant: str, operation: Operation) -> int:
        """Versions for which this is not done."""
        name = self._external.name
        rows = self._sql.rows("waiting", tenant=tenant, index=name, operation=operation)
        return sum(len(load_values(versions, int)) for (versions,) in rows)


def by_class(rows: Sequence[tuple[int, int]]) -> dict[int, list[int]]:
    """Versions by access class, both sorted."""
    found: dict[int, list[int]] = {}
    for version, class_ in sorted(rows, key=lambda row: (row[1], row[0])):
        found.setdefault(class_, []).append(version)
    return found
