"""One snapshot more, and the edges that it has: how rules about edges begin and end."""

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import local
from docgraph.model.document import Document
from docgraph.model.edge import Relationship
from docgraph.model.snapshot import Wanted
from docgraph.ports.store import Store
from tests.support.small_world import IDENTITY, write


def publish(
    store: Store,
    *documents: Document,
    branch: str = "main",
    repository: str = "r",
    tenant: str = "local",
    miners: frozenset[str] | None = ALL_MINERS,
) -> None:
    """One snapshot more; without miners, whose claims count stays as it was."""
    with store.writes(tenant, repository, branch, IDENTITY) as writes:
        write(writes, documents)
        if miners is not None:
            writes.use_miners(miners)
        writes.publish()


def listed(
    store: Store, *wanted: Wanted, relations: frozenset[str] | None = None
) -> tuple[Relationship, ...]:
    with store.reads_as(local(), wanted or (Wanted(),)) as reads:
        return reads.graph.listed(relations)


def told(store: Store, *wanted: Wanted) -> list[tuple[str, str, str]]:
    edges = (found.edge for found in listed(store, *wanted))
    return [(edge.source, edge.relation, edge.target) for edge in edges]
