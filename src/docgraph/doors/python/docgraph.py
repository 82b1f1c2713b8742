"""Docgraph: an opened store, with all that can be asked of it and written to it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from docgraph.doors.by_hand import noted, only_type
from docgraph.doors.login.asked_as import AskedAs
from docgraph.doors.python.opened import Store
from docgraph.doors.python.questions import Questions, wanted_of
from docgraph.doors.readers import told_readers
from docgraph.ingest.result import IngestResult, Progress
from docgraph.model.access import LOCAL, LOCAL_ONLY
from docgraph.model.edge import Edge, Relationship
from docgraph.model.scope import SnapshotName
from docgraph.model.snapshot import SnapshotInfo
from docgraph.model.status import Status
from docgraph.wiring.sources import LARGEST_FILE, open_source


class Docgraph(Questions):
    """What `docgraph.open` gives. Any number of threads may use one at the same time."""

    def ingest(
        self,
        path: Store,
        *,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
        ref: str | None = None,
        readers: Sequence[str] = (),
        labels: Sequence[str] = (),
        level: int = 0,
        without: Sequence[str] = (),
        max_bytes: int = LARGEST_FILE,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> IngestResult:
        """Takes a folder, a file or a commit in, as a new snapshot if anything changed.

        `ref` names a branch, tag or commit of a git repository; `without` switches miners off.
        `readers` are the groups that may read: without any, access.yaml and front matter say so,
        and where they do not, the person at the keyboard alone may. Needs the right `ingest`.
        """
        who = self._reader(as_)
        told = told_readers(who.tenant, readers, labels, level)
        rule = told.rule
        with open_source(
            Path(path), repository=repository, branch=branch, ref=ref, max_bytes=max_bytes
        ) as opened:
            return self._writing().ingest(
                who,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                rule_for=None if rule is None else lambda _: rule,
                narrowed_by=told.narrowed_by,
                otherwise=LOCAL_ONLY if who.tenant == LOCAL else None,
                without=without,
                origin=opened.origin,
                progress=progress,
            )

    def relations(
        self,
        node: str | None = None,
        *,
        relation: str | None = None,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> tuple[Relationship, ...]:
        """Relations with their origins: those of a node or document, of one type, or all.

        `contains` is listed where `relation` asks for it.
        """
        wanted = wanted_of(repository, branch, snapshot)
        only = only_type(relation)
        return self._asking().relations(self._reader(as_), wanted, only, node)

    def add_relation(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        note: str = "",
        as_: AskedAs = None,
        branch: str | None = None,
    ) -> SnapshotName:
        """Adds a relation by hand, in a new snapshot. Needs the right `relations`.

        Both ends must exist; `supersedes` and its like are stored both ways. `note` says why it
        holds, and is kept as its evidence.
        """
        edge, wanted = Edge(source, relation, target), wanted_of(None, branch, None)
        who = self._reader(as_)
        return self._asking().add_relation(who, edge, noted(source, note), wanted)

    def remove_relation(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        as_: AskedAs = None,
        branch: str | None = None,
    ) -> SnapshotName:
        """Removes a relation made by hand, in a new snapshot. Needs the right `relations`."""
        edge, wanted = Edge(source, relation, target), wanted_of(None, branch, None)
        return self._asking().remove_relation(self._reader(as_), edge, wanted)

    def snapshots(
        self,
        *,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
    ) -> tuple[SnapshotInfo, ...]:
        """What can be asked, newest last, each with how many documents the reader sees in it."""
        return tuple(
            info
            for info in self._asking().snapshots(self._reader(as_))
            if repository in (None, info.name.repository) and branch in (None, info.name.branch)
        )

    def status(
        self,
        *,
        as_: AskedAs = None,
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
    ) -> Status:
        """The snapshots that a question would be asked of, and how much they hold."""
        return self._asking().status(self._reader(as_), wanted_of(repository, branch, snapshot))
