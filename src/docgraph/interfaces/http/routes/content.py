"""GET /v1/nodes/{id} and /v1/snapshots: what a store holds."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import BranchQuery, NodeId, ScopeQuery
from docgraph.interfaces.http.responses import SnapshotsResponse
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.document import NodeText
from docgraph.model.errors import NotVisible

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
        for node in context.engine.questions.nodes(
            context.principal, (id,), scope=query.scope, whole=query.whole
        ):
            return node
        raise NotVisible("no visible node has this id")

    return await context.answer(respond)


@router.get(
    "/v1/snapshots",
    response_model=SnapshotsResponse,
    tags=["snapshots"],
    **operation_docs("list_snapshots", body=False),
)
async def list_snapshots(
    query: Annotated[BranchQuery, Query()], context: CurrentRequest
) -> Response:
    """List the snapshots that you can ask, each with how many documents you see in it."""

    def respond() -> SnapshotsResponse:
        return SnapshotsResponse(
            tuple(
                info
                for info in context.engine.content.snapshots(context.principal)
                if query.repository in (None, info.name.repository)
                and query.branch in (None, info.name.branch)
            )
        )

    return await context.answer(respond)
