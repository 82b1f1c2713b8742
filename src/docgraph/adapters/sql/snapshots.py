"""Listing snapshots: what a reader sees of each."""

import numpy as np

from docgraph.adapters.sql.visible import Rows, alive, readable_by
from docgraph.model.access import Principal
from docgraph.model.scope import SnapshotName
from docgraph.model.snapshot import SnapshotInfo


def list_snapshots(rows: Rows, principal: Principal) -> tuple[SnapshotInfo, ...]:
    """A snapshot in which the reader sees nothing is not there."""
    readable = readable_by(principal, rows)
    found: list[SnapshotInfo] = []
    for branch in rows.branches:
        if branch.tenant != principal.tenant:
            continue
        for number in range(branch.oldest, branch.newest + 1):
            documents = int(np.count_nonzero(readable & alive(rows, branch, number)))
            if documents:
                made = rows.snapshots[branch.id, number]
                found.append(
                    SnapshotInfo(
                        name=SnapshotName(branch.repository, branch.name, number),
                        created=made.created,
                        ref=made.ref,
                        revision=made.revision,
                        embedder=made.embedder.name,
                        miners=made.miners,
                        documents=documents,
                    )
                )
    return tuple(sorted(found, key=lambda info: info.name))
