"""The way in: first who is coming, then what they bring, and only then what they want."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from docgraph.doors.http.house import House, house_of
from docgraph.doors.http.strict_body import StrictRequest
from docgraph.model.access import Principal
from docgraph.model.errors import NotKnown


class KnownRoute(APIRoute):
    """Nobody's body is read before it is known who they are."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            house = house_of(request)
            request.state.principal = await _who(house, request)
            if self.body_field is None:
                return await handle(request)
            strict = StrictRequest(request.scope, request.receive)
            try:
                async with asyncio.timeout(house.settings.time):
                    await strict.body()
            except TimeoutError:
                raise HTTPException(408, "the body did not come in time") from None
            return await handle(strict)

        return handled


async def _who(house: House, request: Request) -> Principal:
    """By the one header for it. Whether a credential is good may take a look into the store."""
    shown = request.headers.getlist("authorization")
    if len(shown) > 1:
        raise NotKnown("more than one credential")
    credential = shown[0] if shown else None
    if house.login.open_to_local:
        return house.login.who(credential)
    return await run_in_threadpool(house.login.who, credential)
