"""References and the visible nodes that they may mean, from either side.

A key is looked up once for all references with it, not once for each: a long page names the same
things many times, and a common name has many definitions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set

from docgraph.adapters.sql.database import Queries, Row
from docgraph.model.edge import MINED_RELATIONS
from docgraph.model.link import Definer, Meaning, ReferenceGroup, group_references

_Key = tuple[int, str]  # of a branch
_GROUP = 9  # columns that references of one group share


class ReferenceReads:
    def __init__(self, sql: Queries) -> None:
        """`sql` is reads.sql."""
        self._sql = sql

    def leaving(
        self, versions: list[int], relations: frozenset[str], sources: Set[str] | None = None
    ) -> Iterator[ReferenceGroup]:
        """References in these versions; with `sources`, those from these nodes, and those whose
        characters hold such a one. Those without a definition have no targets, or are missing."""
        query = "references_of_versions" if sources is None else "references_of_nodes"
        rows = self._rows(query, versions, relations, nodes=sorted(sources or ()))
        definers = self._definers({row[:2] for row in rows})
        groups: defaultdict[Row, list[Row]] = defaultdict(list)
        for row in rows:
            groups[row[:_GROUP]].append(row[_GROUP:])
        nodes = self._nodes(
            one.node + group[7] for group in groups if group[7] for one in definers[group[:2]]
        )
        for group, positions in groups.items():
            yield group_references(Meaning._make(group[2:]), definers[group[:2]], nodes, positions)

    def entering(self, versions: list[int], relations: frozenset[str]) -> Iterator[ReferenceGroup]:
        """References to keys that these versions define, each alone."""
        rows = self._rows("references_to_versions", versions, relations)
        nodes = self._nodes(row[12] + row[5] for row in rows if row[5])
        for row in rows:
            definer = Definer._make(row[12:])
            yield group_references(Meaning._make(row[:7]), (definer,), nodes, (row[7:12],))

    def _rows(
        self, query: str, versions: list[int], relations: frozenset[str], **values: object
    ) -> list[Row]:
        mined = sorted(relations & MINED_RELATIONS)
        return self._sql.rows(query, versions=versions, relations=mined, **values) if mined else []

    def _definers(self, keys: set[_Key]) -> defaultdict[_Key, list[Definer]]:
        by_branch: defaultdict[int, list[str]] = defaultdict(list)
        for branch, key in keys:
            by_branch[branch].append(key)
        found: defaultdict[_Key, list[Definer]] = defaultdict(list)
        for branch, named in by_branch.items():
            for row in self._sql.rows("definitions_of_keys", branch=branch, keys=named):
                found[branch, row[0]].append(Definer._make(row[1:]))
        return found

    def _nodes(self, ids: Iterable[str]) -> frozenset[str]:
        """Those that are visible."""
        named = sorted(set(ids))
        return frozenset(dict(self._sql.rows("kinds_of_nodes", ids=named) if named else ()))
