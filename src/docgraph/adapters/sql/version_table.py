"""Every version of every document of a tenant: its branch, lifetime and access class."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.access_rows import rule_from_json
from docgraph.adapters.sql.database import DamagedRow, Queries, Row, single_row
from docgraph.adapters.sql.stored_json import load_values
from docgraph.model.access import AccessRule
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scoring import distinct
from docgraph.model.snapshot import SnapshotName
from docgraph.ports.indexes import FOREVER, ReadFilter

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Branch:
    id: int
    tenant: str
    repository: str
    name: str
    newest: int
    oldest: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    created: str
    ref: str
    revision: str
    embedder: EmbedderIdentity
    miners: tuple[str, ...]
    last_embedding: int
    content: int


TOKEN = 32  # characters of one token


class Counted(NamedTuple):
    """How often anything of a tenant changed; how often a class did, or a snapshot was removed.

    `tokens` are those of the last changes, the newest first: each change draws one at random. So
    two states are the same if their first token is, whatever was counted: a restored backup counts
    on from an earlier number.
    """

    changes: int = 0
    access_changes: int = 0
    tokens: str = ""

    @property
    def token(self) -> str:
        return self.tokens[:TOKEN]

    def follows(self, token: str) -> bool:
        """Is the state with this token this one, or one of the last before it?"""
        tokens = self.tokens
        return any(tokens.startswith(token, at) for at in range(0, max(len(tokens), 1), TOKEN))


@dataclass(frozen=True, slots=True, eq=False)
class VersionTable:
    """Every document version by ordinal: its branch, life and class. Published ones alone.

    `summarized` and `completed` are the numbers of the rows that say that its summary, and that all
    of it is embedded; 0: not yet. `history` names the states whose numbers mean the same: caches
    are kept by it.
    """

    counted: Counted
    history: str
    branch: Ints
    born: Ints
    died: Ints
    access: Ints
    summarized: Ints
    completed: Ints
    rules: dict[int, AccessRule]
    branches: tuple[Branch, ...]
    snapshots: dict[tuple[int, int], Snapshot]

    @property
    def nbytes(self) -> int:
        columns = (self.branch, self.born, self.died, self.access, self.summarized, self.completed)
        return sum(column.nbytes for column in columns) + 1024 * len(self.snapshots)

    def mask(self, reads: ReadFilter) -> npt.NDArray[np.bool_]:
        """By ordinal: does the filter show it?"""
        readable = self.readable(reads.classes)
        mask = np.zeros(len(readable), dtype=np.bool_)
        for branch, snapshot in reads.snapshots:
            mask |= readable & self.alive(branch, snapshot)
        return mask

    def embedded(self, mask: npt.NDArray[np.bool_], reads: ReadFilter) -> tuple[Flags, Flags]:
        """Of what the mask shows, what is completely embedded in its snapshot, and of what the
        summary alone is."""
        last = np.full(len(mask), -1, dtype=np.int64)
        for branch, snapshot in reads.snapshots:
            last[self.branch == branch] = self.snapshots[branch, snapshot].last_embedding
        complete = mask & (self.completed > 0) & (self.completed <= last)
        return complete, mask & ~complete & (self.summarized > 0) & (self.summarized <= last)

    def readable(self, classes: Iterable[int]) -> npt.NDArray[np.bool_]:
        """By ordinal, whichever snapshot the document lives in."""
        allowed = np.zeros(max(self.rules, default=0) + 2, dtype=np.bool_)  # the last: no class
        allowed[list(classes)] = True
        readable: npt.NDArray[np.bool_] = allowed[self.access]
        return readable

    def ingestion(self, ordinal: int) -> SnapshotName:
        """The snapshot that brought the version."""
        branch = next(one for one in self.branches if one.id == self.branch[ordinal])
        return SnapshotName(branch.repository, branch.name, int(self.born[ordinal]))

    def rule_of(self, ordinal: int) -> AccessRule:
        """Of a version that is published."""
        return self.rules[int(self.access[ordinal])]

    def alive(self, branch: int, snapshot: int) -> npt.NDArray[np.bool_]:
        living: npt.NDArray[np.bool_] = (
            (self.branch == branch) & (self.born <= snapshot) & (snapshot < self.died)
        )
        return living


def load_rows(
    sql: Queries, counted: Counted, history: str = "", tenant: str | None = None
) -> VersionTable:
    """Of one tenant, or of all: what is published, and nothing of an ingest under way."""
    branches = tuple(Branch(*row) for row in sql.rows("branches", tenant=tenant))
    snapshots = dict(map(_snapshot, sql.rows("snapshots", tenant=tenant)))
    _require_snapshots(branches, snapshots)
    lives = _published(sql.rows("document_lifetimes", tenant=tenant), branches)
    columns = _set(np.empty((4, 0), dtype=np.int64), lives, single_row(sql.row("last_version"))[0])
    rules = _load_rules(sql, lives[:, 4], {})
    none = np.zeros((2, len(columns[0])), dtype=np.int64)
    embeddings = _set_embeddings(none, sql.rows("embeddings", tenant=tenant))
    return VersionTable(counted, history, *columns, *embeddings, rules, branches, snapshots)


def extend_rows(table: VersionTable, sql: Queries, counted: Counted, tenant: str) -> VersionTable:
    """The same table after publications: no class has changed, and nothing was removed."""
    branches = tuple(Branch(*row) for row in sql.rows("branches", tenant=tenant))
    known = {branch.id: branch.newest for branch in table.branches}
    rows: list[Row] = []
    embeddings: list[Row] = []
    snapshots = dict(table.snapshots)
    for branch in branches:
        after = known.get(branch.id, 0)
        if branch.newest > after:
            since = {"branch": branch.id, "after": after}
            rows += sql.rows("document_lifetimes_since", **since, newest=branch.newest)
            newest = snapshots.get((branch.id, after))
            seen = newest.last_embedding if newest else 0
            embeddings += sql.rows("embeddings_since", branch=branch.id, after=seen)
            snapshots.update(map(_snapshot, sql.rows("snapshots_since", **since)))
    _require_snapshots(branches, snapshots)
    lives = _published(rows, branches)
    known_columns = np.stack((table.branch, table.born, table.died, table.access))
    columns = _set(known_columns, lives, single_row(sql.row("last_version"))[0])
    rules = _load_rules(sql, lives[:, 4], table.rules)
    before = np.zeros((2, len(columns[0])), dtype=np.int64)
    before[:, : len(table.summarized)] = table.summarized, table.completed
    both = _set_embeddings(before, embeddings)
    return VersionTable(counted, table.history, *columns, *both, rules, branches, snapshots)


def _published(rows: Sequence[Row], branches: Sequence[Branch]) -> Ints:
    """Ordinal, branch, born, died and class; all -1 but the ordinal of what is not published.

    Nor has anything ended before that is published.
    """
    lives = np.array(rows, dtype=np.int64).reshape(-1, 5)
    known = sorted((branch.id, branch.newest) for branch in branches)
    ids, newest = np.array(known, dtype=np.int64).reshape(-1, 2).T
    of_branch = newest[np.searchsorted(ids, lives[:, 1])]
    lives[lives[:, 3] > of_branch, 3] = FOREVER
    lives[lives[:, 2] > of_branch, 1:] = -1
    return lives


def _require_snapshots(
    branches: Sequence[Branch], snapshots: Mapping[tuple[int, int], Snapshot]
) -> None:
    """Every branch has its snapshots from the oldest to the newest."""
    many = Counter(branch for branch, _ in snapshots)
    for branch in branches:
        ends = {(branch.id, branch.oldest), (branch.id, branch.newest)} if branch.newest else ()
        expected = branch.newest - branch.oldest + 1
        if many[branch.id] != expected or not snapshots.keys() >= set(ends):
            raise DamagedRow("a branch has other snapshots than it names")


def _set(columns: Ints, lives: Ints, last: int) -> tuple[Ints, Ints, Ints, Ints]:
    """By ordinal: branch, born, died and class; -1 where there is no such version.

    Memory is taken for every ordinal, so none may be greater than the last that was given.
    """
    size = max(columns.shape[1], int(lives[:, 0].max(initial=-1)) + 1)
    if size > last + 1 or int(lives[:, 0].min(initial=0)) < 0:
        raise DamagedRow("a version of a document has a number that was not given")
    table = np.full((4, size), -1, dtype=np.int64)
    table[:, : columns.shape[1]] = columns
    table[:, lives[:, 0]] = lives[:, 1:].T
    branch, born, died, access = table
    return branch, born, died, access


def _set_embeddings(columns: Ints, rows: Sequence[Row]) -> tuple[Ints, Ints]:
    """By ordinal, the numbers of the rows. Some may be of versions that are not published."""
    numbers, versions, complete = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    if len(versions) and not 0 <= versions.min() <= versions.max() < columns.shape[1]:
        raise DamagedRow("a document that is not stored is embedded")
    summarized, completed = columns
    summarized[versions[complete == 0]] = numbers[complete == 0]
    completed[versions[complete == 1]] = numbers[complete == 1]
    return summarized, completed


def _load_rules(
    sql: Queries, classes: Ints, known: Mapping[int, AccessRule]
) -> dict[int, AccessRule]:
    """With those of these classes; a class never changes its rule."""
    missing = [one for one in distinct(classes).tolist() if one >= 0 and one not in known]
    rows = sql.rows("rules", classes=missing) if missing else []
    if len(rows) < len(missing) or int(classes.min(initial=-1)) < -1:
        raise DamagedRow("the access rule of a document is missing")
    return {**known, **{number: rule_from_json(rule) for number, rule in rows}}


def _snapshot(row: Row) -> tuple[tuple[int, int], Snapshot]:
    branch, number, created, ref, revision, name, digest, size, miners, last, content = row
    embedder, names = EmbedderIdentity(name, digest, size), tuple(load_values(miners, str))
    return (branch, number), Snapshot(created, ref, revision, embedder, names, last, content)
