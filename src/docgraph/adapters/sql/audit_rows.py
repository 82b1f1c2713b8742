"""Rows and seals of a tenant's audit log; the transaction around them is the caller's."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from docgraph.adapters.sql.checksums import checksum, is_intact
from docgraph.adapters.sql.database import Queries, Row, next_page
from docgraph.model.audit import (
    NO_SEAL,
    ROWS_PER_SEAL,
    Anchor,
    AuditEntry,
    AuditEvent,
    AuditVerdict,
    Seal,
    make_seal,
    verify_chain,
)
from docgraph.model.snapshot import SnapshotName
from docgraph.model.validation import escape_unstorable

TAKES_NO_ROW = "this audit log takes no row; `docgraph audit verify` tells why"
_LEAST, _MOST = -(2**63), 2**63 - 1  # the range of a number column
_PAGE = 1_000  # rows


class AuditRows:
    """Runs the queries of `audit.sql`, which store the same in every database."""

    def __init__(self, queries: Queries, tenant: str) -> None:
        self._queries = queries
        self._tenant = tenant
        self.tenant = escape_unstorable(tenant)

    def add(self, event: AuditEvent, time: str) -> bool:
        """Whether the log has the row: a trigger that someone added may discard it."""
        columns = {"time": time, **_columns(event)}
        sum_ = checksum("audit_entries", columns.values())
        row = self._queries.row("add_entry", **columns, checksum=sum_)
        if row is None:
            return False
        number, last = row
        if number - last >= ROWS_PER_SEAL:
            self.seal()
        return True

    def seal(self) -> Anchor | None:
        """Seals the rows without a seal; the newest seal as an anchor."""
        row = self._queries.row("last_seal", tenant=self.tenant)
        newest = NO_SEAL if row is None else Seal(*row)
        if unsealed := tuple(self._between(newest.last, _MOST)):
            newest = make_seal(unsealed, newest)
            self._queries.run("add_seal", tenant=self.tenant, **asdict(newest))
        return None if newest is NO_SEAL else Anchor(self._tenant, newest.last, newest.digest)

    def entries(self, *, last: int | None, principal: str | None) -> tuple[AuditEntry, ...]:
        rows = self._queries.rows(
            "entries",
            tenant=self.tenant,
            who=None if principal is None else escape_unstorable(principal),
            most=None if last is None else max(last, 0),
        )
        return tuple(map(_entry, rows))

    def principals(self) -> tuple[str, ...]:
        return tuple(name for (name,) in self._queries.rows("principals", tenant=self.tenant))

    def verify(self, anchor: Anchor | None, changed: Sequence[tuple[str, str]]) -> AuditVerdict:
        """`changed` are `differences`, and what a database says of itself: kinds and messages.

        Where a table or column differs, no rows are read.
        """
        kinds = frozenset(kind for kind, _ in changed)
        problems = tuple(message for _, message in changed)
        if kinds & {"table", "column"}:
            return AuditVerdict(0, 0, problems)
        seals = [Seal(*row) for row in self._queries.rows("seals", tenant=self.tenant)]
        chain = verify_chain(self._tenant, seals, self._between, anchor)
        damaged = self._damaged(chain.sealed)
        return AuditVerdict(chain.rows, chain.sealed, (*problems, *chain.problems, *damaged))

    def _damaged(self, sealed: int) -> Iterator[str]:
        """Of rows that no seal covers yet."""
        for number, *row in self._rows(sealed, _MOST):
            if not is_intact("audit_entries", row):
                yield f"row {number} differs from its checksum"

    def _between(self, above: float, last: float) -> Iterator[AuditEntry]:
        return (_entry(row[:-1]) for row in self._rows(above, last))

    def _rows(self, above: float, last: float) -> Iterator[Row]:
        """A page at a time: where the seals were removed, these are all rows."""
        first, stop = int(max(above, _LEAST - 1)) + 1, int(min(last, _MOST))
        while first <= stop:
            page = self._queries.rows(
                "entries_between", tenant=self.tenant, first=first, last=stop, most=_PAGE
            )
            yield from page
            if len(page) < _PAGE:
                return
            first = next_page(first - 1, page[-1][0]) + 1


def differences(
    expected: Mapping[tuple[str, str], str], actual: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str]]:
    """By kind and name, what is missing, added or changed: its kind, and a message."""
    for kind, name in sorted(expected.keys() | actual.keys()):
        if (kind, name) not in actual:
            yield kind, f"the {kind} {name} is missing"
        elif (kind, name) not in expected:
            yield kind, f"the {kind} {name} was put in"
        elif expected[kind, name] != actual[kind, name]:
            yield kind, f"the {kind} {name} is not as docgraph made it"


def _columns(event: AuditEvent) -> dict[str, Any]:
    """Databases take UTF-8 only, and Postgres no NUL. Chain and checksum are computed over stored
    values; the order is that of `entries_between`."""
    names = [[name.repository, name.branch, name.snapshot] for name in event.snapshots]
    return {
        "tenant": escape_unstorable(event.tenant),
        "principal": escape_unstorable(event.principal),
        "authenticated_by": escape_unstorable(event.authenticated_by),
        "action": escape_unstorable(event.action),
        "outcome": event.outcome,
        "plan": escape_unstorable(event.plan),
        "snapshots": escape_unstorable(json.dumps(names, ensure_ascii=False)),
        "detail": escape_unstorable(event.detail),
    }


def _entry(row: Row) -> AuditEntry:
    number, time, tenant, principal, by, action, outcome, plan, snapshots, detail = row
    event = AuditEvent(tenant, principal, by, action, outcome, plan, _snapshots(snapshots), detail)
    return AuditEntry(number, time, event)


def _snapshots(text: str) -> tuple[SnapshotName, ...]:
    """A value that docgraph never wrote is kept as it is, so that `verify` finds it."""
    unknown = (SnapshotName(text, "", 0),)
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        return unknown
    if type(names) is not list:
        return unknown
    for name in names:
        if type(name) is not list or [type(part) for part in name] != [str, str, int]:
            return unknown
    return tuple(SnapshotName(*name) for name in names)
