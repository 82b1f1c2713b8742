"""GET /v1/snapshots: what there is to ask."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import BranchQuery
from docgraph.interfaces.http.responses import ListedSnapshots
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest

router = APIRouter(route_class=AuthenticatedRoute, tags=["snapshots"])


@router.get(
    "/v1/snapshots",
    response_model=ListedSnapshots,
    **operation_docs("list_snapshots", body=False),
)
async def list_snapshots(query: Annotated[BranchQuery, Query()], call: CurrentRequest) -> Response:
    """List the snapshots that you can ask, each with how many documents you see in it."""

    def found() -> ListedSnapshots:
        return ListedSnapshots(
            tuple(
                info
                for info in call.engine.content.snapshots(call.principal)
                if query.repository in (None, info.name.repository)
                and query.branch in (None, info.name.branch)
            )
        )

    return await call.answer(found)
