"""The way in: first who is coming, then what they bring, and only then what they want."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from docgraph.doors.doorkeeper import Doorkeeper
from docgraph.doors.http.house import house_of
from docgraph.doors.http.strict_body import StrictRequest
from docgraph.model.errors import GivenUp


class KnownRoute(APIRoute):
    """Nobody's body is read before it is known who they are."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            doorkeeper: Doorkeeper = request.app.state.doorkeeper
            shown = request.headers.getlist("authorization")
            request.state.principal = await doorkeeper.who(shown)
            if self.body_field is None:
                return await handle(request)
            strict = StrictRequest(request.scope, request.receive)
            try:
                async with asyncio.timeout(house_of(request).settings.time):
                    await strict.body()
            except TimeoutError:
                raise HTTPException(408, "the body did not come in time") from None
            except ClientDisconnect:
                raise GivenUp("whoever asked has left") from None
            return await handle(strict)

        return handled
