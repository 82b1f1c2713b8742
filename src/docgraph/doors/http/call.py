"""A call: one request, by someone who is known, on its way into the engine and back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from docgraph.doors.http.as_json import as_json
from docgraph.doors.http.house import House, house_of
from docgraph.doors.http.patience import T, carried_out
from docgraph.doors.shares import Holder, holder_of
from docgraph.doors.workers import Workers
from docgraph.engine import Engine
from docgraph.model.access import Principal



@dataclass(frozen=True, slots=True)
class Call:
    house: House
    request: Request
    principal: Principal

    @property
    def engine(self) -> Engine:
        return self.house.engine

    @property
    def holder(self) -> Holder:
        return holder_of(self.principal)

    async def answer(
        self,
        work: Callable[[], object],
        *,
        status: int = 200,
        workers: Workers | None = None,
        seconds: float | None = None,
    ) -> Response:
        """Works in a thread, and writes its JSON there too."""
        body = await carried_out(
            lambda: as_json(work()),
            workers or self.house.questions,
            self.holder,
            self.request,
            seconds or self.house.settings.time,
        )
        return Response(body, media_type="application/json", status_code=status)

    async def work(self, work: Callable[[], T]) -> T:
        seconds = self.house.settings.time
        return await carried_out(work, self.house.questions, self.holder, self.request, seconds)


async def _call(request: Request) -> Call:
    """Not in a thread: FastAPI has few, and there is nothing to wait for."""
    return Call(house_of(request), request, request.state.principal)


Calling = Annotated[Call, Depends(_call)]
