"""Listing snapshots, and digests of their documents: what a reader sees of them."""

import hashlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.database import Queries, single_row
from docgraph.adapters.sql.version_table import Branch, VersionTable
from docgraph.adapters.sql.visibility import classes_of
from docgraph.model.access import Principal
from docgraph.model.digest import canonical
from docgraph.model.embedding_state import EmbeddingState, StateName
from docgraph.model.snapshot import SnapshotInfo, SnapshotName
from docgraph.ports.indexes import ReadFilter


def list_snapshots(rows: VersionTable, principal: Principal) -> tuple[SnapshotInfo, ...]:
    """Without those in which the reader sees nothing."""
    readable = rows.readable(classes_of(principal, rows))
    infos: list[SnapshotInfo] = []
    for branch in rows.branches:
        if branch.tenant != principal.tenant:
            continue
        for number in range(branch.oldest, branch.newest + 1):
            documents = int(np.count_nonzero(readable & rows.alive(branch.id, number)))
            if documents:
                snapshot = rows.snapshots[branch.id, number]
                infos.append(
                    SnapshotInfo(
                        name=SnapshotName(branch.repository, branch.name, number),
                        created=snapshot.created,
                        ref=snapshot.ref,
                        revision=snapshot.revision,
                        embedder=snapshot.embedder.name,
                        miners=snapshot.miners,
                        documents=documents,
                        embeddings=_embedding_state(rows, readable, branch, number),
                    )
                )
    return tuple(sorted(infos, key=lambda info: info.name))


def _embedding_state(
    rows: VersionTable, readable: npt.NDArray[np.bool_], branch: Branch, number: int
) -> StateName:
    reads = ReadFilter(branch.tenant, frozenset(), ((branch.id, number),), 0)
    mask = readable & rows.alive(branch.id, number)
    embedded, summarized = (int(np.count_nonzero(one)) for one in rows.embedded(mask, reads))
    documents = int(np.count_nonzero(mask))
    return EmbeddingState(documents, embedded + summarized, embedded).name


def contents(sql: Queries) -> Iterator[tuple[str, str]]:
    """By document id, a digest of text, nodes, chunks, vectors and definitions.

    Numbers and times of the store are left out: two ingests of one tree give the same digests.
    """
    for version, document in sql.rows("visible_documents"):
        hash_ = hashlib.sha256()
        hash_.update(single_row(sql.row("text_of_version", version=version))[0].encode())
        for query in (
            "nodes_of_version",
            "chunks_of_version",
            "definitions_of_version",
            "vectors_of_version",
        ):
            for row in sql.rows(query, version=version):
                values = [value.hex() if isinstance(value, bytes) else value for value in row]
                hash_.update(b"\n" + canonical(values))
        for _, vector in sql.rows("chunk_vectors", versions=[version]):
            hash_.update(b"\n" + vector)
        yield document, hash_.hexdigest()
