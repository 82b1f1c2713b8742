"""Where nobody has to log in, only this machine's own programs come in.

A page in a browser could reach a loopback address too, under a name that it made point there.
"""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from docgraph.doors.http.problem import problem
from docgraph.doors.local_names import from_here, no_others_page


class OnlyLocal:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not from_here(headers.getlist("host")):
            words = "without a login this server answers to localhost, 127.0.0.1 and [::1] alone"
            await problem(421, words)(scope, receive, send)
        elif not no_others_page(headers.getlist("origin")):
            words = "without a login this server answers no page of another server's"
            await problem(403, words)(scope, receive, send)
        else:
            await self._app(scope, receive, send)
