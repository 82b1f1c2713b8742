"""Serving: one process, from the first line that says where it listens to the end in good order."""

import logging
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn

from docgraph.interfaces.http.server.app import make_app, mounts
from docgraph.interfaces.http.server.app_state import AppState, build_app_state
from docgraph.interfaces.server.connection_limits import LimitedServer, limited_config
from docgraph.interfaces.server.listener import listening
from docgraph.model.errors import DocgraphError
from docgraph.wiring.settings import Settings


def serve_http(settings: Settings, told: Callable[[str], None]) -> None:
    """Until SIGTERM or SIGINT; then what is open is finished within the time to drain.

    `told` hears where it listens, once it does.
    """
    house = build_app_state(settings)
    where = listening(settings.serve.host, settings.serve.port, is_open=house.login.open_to_local)
    _log()
    config = limited_config(make_app(house, mounts(house)), settings.serve, lifespan="on")
    # uvicorn raises what it caught once more when all is done; that this came is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _heard)
    with where:
        server = _Server(config, house, lambda: told(address(where)))
        server.run(sockets=[where])
    if not server.started:
        raise DocgraphError("the server did not start; the lines above tell why")


class _Server(LimitedServer):
    def __init__(
        self, config: uvicorn.Config, house: AppState, listens: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._house = house
        self._listens = listens

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._listens()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._house.drain()
        super().handle_exit(sig, frame)


def address(where: socket.socket) -> str:
    host, port = where.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _heard(_: int, __: FrameType | None) -> None:
    """Nothing more to do."""


def _log() -> None:
    """Lines on standard error, with the time; of libraries only what went wrong: what else they
    tell may hold words of a question."""
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("docgraph").setLevel(logging.INFO)
