"""One snapshot more, and the edges that it has: how rules about edges begin and end."""

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import local
from docgraph.model.document import Document
from docgraph.model.edge import Relationship
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import Store
from tests.support.graph_edges import all_edges
from tests.support.small_world import IDENTITY, write


def publish(
    store: Store,
    *documents: Document,
    branch: str = "main",
    repository: str = "r",
    tenant: str = "local",
    miners: frozenset[str] | None = ALL_MINERS,
) -> None:
    """One snapshot more; without miners, whose references count stays as it was."""
    with store.open_writer(tenant, repository, branch, IDENTITY) as writes:
        write(writes, documents)
        if miners is not None:
            writes.references.set_miners(miners)
        writes.publish()


def listed(
    store: Store, *selectors: SnapshotSelector, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    with store.open_session(local(), selectors or (SnapshotSelector(),)) as reads:
        return all_edges(reads.graph, relations)


def edges_of(store: Store, *selectors: SnapshotSelector) -> list[tuple[str, str, str]]:
    edges = (found.edge for found in listed(store, *selectors))
    return [(edge.source, edge.relation, edge.target) for edge in edges]
