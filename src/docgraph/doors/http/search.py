"""POST /v1/search: the seeds of a question."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from docgraph.doors.http.answers import FoundSeeds
from docgraph.doors.http.asked import Asked, Text, given
from docgraph.doors.http.call import Calling
from docgraph.doors.http.described import described
from docgraph.doors.http.known_route import KnownRoute
from docgraph.model.seeds import Seeds

router = APIRouter(route_class=KnownRoute, tags=["questions"])


class AskedSearch(Asked):
    question: Annotated[Text, Field(min_length=1)]


@router.post("/v1/search", response_model=FoundSeeds, **described("search", 404, 409))
async def search(asked: AskedSearch, call: Calling) -> Response:
    """Find seeds: ids and scores, never text."""

    def found() -> FoundSeeds:
        pipeline = call.house.pipelines.chosen(given(asked.pipeline), top=asked.top)
        done = call.engine.retrieve(
            call.principal, asked.question, pipeline.up_to(Seeds), wanted=asked.wanted
        )
        return FoundSeeds(done.seeds, done.scope.snapshots)

    return await call.answer(found)
