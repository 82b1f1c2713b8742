"""Listing snapshots: what a reader sees of each."""

import hashlib
from collections.abc import Iterator

import numpy as np

from docgraph.adapters.sql.database import Queries, single_row
from docgraph.adapters.sql.version_table import VersionTable, alive, readable_by
from docgraph.model.access import Principal
from docgraph.model.digest import canonical
from docgraph.model.snapshot import SnapshotInfo, SnapshotName


def list_snapshots(rows: VersionTable, principal: Principal) -> tuple[SnapshotInfo, ...]:
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


# A digest of all that a reader sees of each document: what two ingests must agree on.


def contents(sql: Queries) -> Iterator[tuple[str, str]]:
    """Text, nodes, chunks, vectors and names; neither numbers nor times of the store."""
    for ordinal, document in sql.rows("visible_documents"):
        whole = hashlib.sha256()
        whole.update(single_row(sql.row("text_of_document", document=ordinal))[0].encode())
        for query in ("nodes_whole", "chunks_whole", "offers_whole"):
            for row in sql.rows(query, document=ordinal):
                told = [value.hex() if isinstance(value, bytes) else value for value in row]
                whole.update(b"\n" + canonical(told))
        yield document, whole.hexdigest()
