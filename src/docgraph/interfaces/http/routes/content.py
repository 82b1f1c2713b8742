"""GET /v1/nodes/{id}, /v1/snapshots and /v1/status: what a store holds."""

from dataclasses import astuple
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import BranchQuery, NodeId, ScopeQuery
from docgraph.interfaces.http.responses import (
    EmbeddingStateResponse,
    RunningIngestResponse,
    SnapshotsResponse,
    StatusResponse,
)
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.document import NodeText

router = APIRouter(route_class=AuthenticatedRoute)


class NodeQuery(ScopeQuery):
    """Without `whole`, the node comes without its text."""

    whole: bool = True


@router.get(
    "/v1/nodes/{id:path}",
    response_model=NodeText,
    tags=["nodes"],
    **operation_docs("get_node", 404, body=False),
)
async def get_node(
    context: CurrentRequest,
    id: Annotated[NodeId, Path(description="Of a document, section, symbol or chunk.")],  # noqa: A002
    query: Annotated[NodeQuery, Query()],
) -> Response:
    """Open a document, section, symbol or chunk. Forbidden and absent are the same: 404."""

    def respond() -> NodeText:
        (node,) = context.engine.questions.nodes(
            context.principal, (id,), scope=query.scope, whole=query.whole
        )
        return node

    return await context.answer(respond)


@router.get(
    "/v1/snapshots",
    response_model=SnapshotsResponse,
    tags=["snapshots"],
    **operation_docs("list_snapshots", 404, body=False),
)
async def list_snapshots(
    query: Annotated[BranchQuery, Query()], context: CurrentRequest
) -> Response:
    """List the snapshots that you can ask, each with how many documents you see in it."""

    def respond() -> SnapshotsResponse:
        return SnapshotsResponse(
            context.engine.content.snapshots(context.principal, query.repository, query.branch)
        )

    return await context.answer(respond)


@router.get(
    "/v1/status",
    response_model=StatusResponse,
    tags=["snapshots"],
    **operation_docs("get_status", body=False),
)
async def get_status(context: CurrentRequest) -> Response:
    """Tell what you can ask, and which ingests run."""

    def respond() -> StatusResponse:
        found = context.engine.content.status(context.principal)
        return StatusResponse(
            found.scope.snapshots,
            found.counts,
            found.embedder,
            EmbeddingStateResponse(found.embeddings.name, *astuple(found.embeddings)),
            tuple(RunningIngestResponse(ingest.since) for ingest in found.ingests),
            found.source_states,
        )

    return await context.answer(respond)
