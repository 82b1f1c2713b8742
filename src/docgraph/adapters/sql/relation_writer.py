"""Writing references, and edges that are stated: imported ones follow their source, manual stay."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from docgraph.adapters.sql.checksums import row_checksum, with_checksum
from docgraph.adapters.sql.database import DamagedRow, Row
from docgraph.adapters.sql.pending_snapshot import PendingSnapshot, set_relationships_valid_to
from docgraph.model.digest import canonical
from docgraph.model.edge import Edge, Relationship
from docgraph.model.node import document_of
from docgraph.model.reference import Reference, ReferenceCount, UnresolvedReference
from docgraph.ports.indexes import FOREVER


class SqlReferenceWriter:
    """`miners` are those whose references count in the new snapshot."""

    def __init__(self, pending: PendingSnapshot, miners: frozenset[str]) -> None:
        self._pending = pending
        self._sql = pending.database.queries("writes.sql")
        self.miners = miners

    def add(self, references: Mapping[str, Sequence[Reference]]) -> None:
        branch = self._pending.branch
        with self._pending.batch():
            current = self._sql.rows(
                "current_documents", branch=branch, paths=list(references), forever=FOREVER
            )
            if not references.keys() >= {path for path, _, _ in current}:
                raise DamagedRow("a document is found under a path that it does not have")
            versions = [version for _, version, _ in current]
            stored = self._sql.rows("references_of_versions", versions=versions)
            added = distinct_references(
                (
                    row
                    for path, version, class_ in current
                    for row in reference_rows(
                        {"version": version, "branch": branch, "access_class": class_},
                        references[path],
                    )
                ),
                stored,
            )
            self._sql.many("add_reference", added)
            self._sql.many("add_to_checksum", _checksums(added))

    def titles(self) -> dict[str, bool]:
        rows = self._sql.rows("current_titles", **self._pending.parameters)
        return {title: bool(in_newest) for title, in_newest in rows}

    def counts(self) -> tuple[ReferenceCount, ...]:
        written = self._pending.last_written
        rows = self._sql.rows("count_references", **written, miners=sorted(self.miners))
        return tuple(ReferenceCount(*row) for row in rows)

    def unresolved(self, relation: str, limit: int) -> tuple[UnresolvedReference, ...]:
        rows = self._sql.rows(
            "unresolved_references",
            **self._pending.last_written,
            relation=relation,
            most=limit,
            miners=sorted(self.miners),
        )
        return tuple(UnresolvedReference(*row) for row in rows)

    def unresolved_calls(self) -> int:
        rows = self._sql.rows("count_unresolved_calls", **self._pending.last_written)
        return int(rows[0][0])

    def set_miners(self, miners: frozenset[str]) -> None:
        self._pending.changed |= miners != self.miners
        self.miners = miners


def reference_rows(
    key: Mapping[str, object], references: Iterable[Reference]
) -> Iterator[dict[str, object]]:
    """`key` holds the columns that all rows of the document share."""
    for reference in references:
        target = reference.target
        yield {
            **key,
            "relation": reference.relation,
            "start_offset": reference.start,
            "key": target.key,
            "inner_suffix": target.inner,
            "node_suffix": reference.suffix,
            "end_offset": reference.end,
            "line": reference.line,
            "text": reference.text,
            "miner": reference.miner,
            "strict": int(target.strict),
            "rank": target.rank,
            "distance_weight": target.distance_weight,
            "report_unresolved": int(target.report_unresolved),
        }


_REFERENCE_KEY = itemgetter(
    "version", "relation", "start_offset", "key", "inner_suffix", "node_suffix", "miner"
)


def distinct_references(
    rows: Iterable[dict[str, object]], stored: Iterable[Row] = ()
) -> list[dict[str, object]]:
    """Each reference once, without those that are stored, given by their key."""
    known = set(stored)
    found: dict[Row, dict[str, object]] = {}
    for row in rows:
        if (key := _REFERENCE_KEY(row)) not in known:
            found.setdefault(key, row)
    return list(found.values())


def _checksums(references: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """What they add to the checksums of their documents."""
    added: Counter[object] = Counter()
    for row in references:
        added[row["version"]] += row_checksum("node_references", row)
    return [{"version": version, "added": total} for version, total in added.items()]


class SqlEdgeWriter:
    def __init__(self, pending: PendingSnapshot) -> None:
        self._pending = pending
        self._sql = pending.database.queries("writes.sql")

    def _run(self, query: str, **values: object) -> int:
        return self._sql.run(query, branch=self._pending.branch, **values)

    def replace_imported(self, edges: Iterable[Relationship]) -> None:
        """Ends edges that are missing before adding new ones: an edge lives once at a time."""
        snapshot = self._pending.number
        with self._pending.batch():
            again = self._run("delete_pending_imported", snapshot=snapshot)
            rows = self._sql.rows("current_relationships", **self._pending.parameters)
            current = {_stated(row): row for row in rows}
            new = [edge for edge in edges if current.pop(_columns(edge), None) is None]
            set_relationships_valid_to(self._sql, list(current.values()), snapshot)
            for edge in new:
                self._add(edge, manual=0)
        self._pending.changed |= bool(again or current or new)

    def add_manual(self, edges: Sequence[Relationship]) -> None:
        with self._pending.batch():
            for relationship in edges:
                self._end_manual(relationship.edge)
                self._add(relationship, manual=1)
        self._pending.changed |= bool(edges)

    def remove_manual(self, edges: Sequence[Edge]) -> int:
        with self._pending.batch():
            removed = sum(self._end_manual(edge) for edge in edges)
        self._pending.changed |= removed > 0
        return removed

    def _end_manual(self, edge: Edge) -> int:
        values = {
            "branch": self._pending.branch,
            "snapshot": self._pending.number,
            "forever": FOREVER,
            "source": edge.source,
            "relation": edge.relation,
            "target": edge.target,
        }
        pending = self._sql.run("delete_pending_relationship", manual=1, **values)
        ended = self._sql.rows("current_manual_relationship", **values)
        set_relationships_valid_to(self._sql, ended, self._pending.number)
        return len(ended) + pending

    def _add(self, relationship: Relationship, manual: int) -> None:
        source, relation, target, origins, evidence = _columns(relationship)
        row = {
            "branch": self._pending.branch,
            "source": source,
            "source_document": document_of(source),
            "relation": relation,
            "target": target,
            "target_document": document_of(target),
            "manual": manual,
            "origins": origins,
            "evidence": evidence,
            "valid_from": self._pending.number,
            "valid_to": FOREVER,
        }
        self._sql.run("add_relationship", **with_checksum("stated_relationships", row))


def _columns(relationship: Relationship) -> tuple[str, str, str, str, str]:
    edge = relationship.edge
    evidence = [[e.path, e.line, e.start, e.end, e.rank, e.text] for e in relationship.evidence]
    origins = canonical(relationship.origins).decode()
    return edge.source, edge.relation, edge.target, origins, canonical(evidence).decode()


def _stated(row: Row) -> tuple[str, str, str, str, str]:
    """The same of a stored row, as `current_relationships` selects it."""
    _, _, source, _, relation, target, _, _, origins, evidence, *_ = row
    return source, relation, target, origins, evidence
