"""Where nobody has to log in, only this machine's own programs come in.

A page in a browser could reach a loopback address too, under a name that it made point there.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from docgraph.doors.http.problem import problem
from docgraph.wiring.login_settings import is_loopback


class OnlyLocal:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not is_local(f"//{hosts[0]}"):
            words = "without a login this server answers to localhost, 127.0.0.1 and [::1] alone"
            await problem(421, words)(scope, receive, send)
        elif not all(map(is_local, origins)):
            words = "without a login this server answers no page of another server's"
            await problem(403, words)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def is_local(address: str) -> bool:
    try:
        return is_loopback(urlsplit(address).hostname or "")
    except ValueError:
        return False
