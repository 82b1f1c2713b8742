"""GET /v1/snapshots: what there is to ask."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from docgraph.doors.http.answers import ListedSnapshots
from docgraph.doors.http.asked_by_query import BranchQuery
from docgraph.doors.http.call import Calling
from docgraph.doors.http.described import described
from docgraph.doors.http.known_route import KnownRoute

router = APIRouter(route_class=KnownRoute, tags=["snapshots"])


@router.get(
    "/v1/snapshots",
    response_model=ListedSnapshots,
    **described("list_snapshots", body=False),
)
async def list_snapshots(query: Annotated[BranchQuery, Query()], call: Calling) -> Response:
    """List the snapshots that you can ask, each with how many documents you see in it."""

    def found() -> ListedSnapshots:
        return ListedSnapshots(
            tuple(
                info
                for info in call.engine.snapshots(call.principal)
                if query.repository in (None, info.name.repository)
                and query.branch in (None, info.name.branch)
            )
        )

    return await call.answer(found)
