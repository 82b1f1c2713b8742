"""GET /v1/nodes/{id}: one node, with its text."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import NodeId, OfQuery
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.document import NodeText
from docgraph.model.errors import NotVisible

router = APIRouter(route_class=AuthenticatedRoute, tags=["nodes"])


class NodeQuery(OfQuery):
    """Without `whole`, the node comes without its text."""

    whole: bool = True


@router.get(
    "/v1/nodes/{id:path}", response_model=NodeText, **operation_docs("get_node", 404, body=False)
)
async def get_node(
    call: CurrentRequest,
    id: Annotated[NodeId, Path(description="Of a document, section, symbol or chunk.")],  # noqa: A002
    query: Annotated[NodeQuery, Query()],
) -> Response:
    """Open a document, section, symbol or chunk. Forbidden and absent are the same: 404."""

    def found() -> NodeText:
        for node in call.engine.questions.nodes(
            call.principal, (id,), wanted=query.wanted, whole=query.whole
        ):
            return node
        raise NotVisible("no visible node has this id")

    return await call.answer(found)
