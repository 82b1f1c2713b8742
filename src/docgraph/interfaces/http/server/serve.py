"""Serving HTTP in this process, until a signal ends it gracefully."""

import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from docgraph.interfaces.http.server.app import make_app, mounts
from docgraph.interfaces.http.server.app_state import AppState, build_app_state
from docgraph.interfaces.server.connection_limits import LimitedServer, limited_config
from docgraph.interfaces.server.listener import listener_url, open_listener
from docgraph.interfaces.terminal import log_server
from docgraph.model.errors import DocgraphError
from docgraph.wiring.settings import Settings


def serve_http(settings: Settings, on_listening: Callable[[str], None]) -> None:
    """Until SIGTERM or SIGINT; then open requests are finished within the time to drain.

    `on_listening` gets the URL once the server listens.
    """
    state = build_app_state(settings)
    serve = settings.serve
    listener = open_listener(serve.host, serve.port, is_open=state.login.open_to_local)
    run_server(state, listener, lambda: on_listening(listener_url(listener)))


def run_server(state: AppState, listener: socket.socket, on_listening: Callable[[], None]) -> None:
    log_server()
    config = limited_config(make_app(state, mounts(state)), state.settings, lifespan="on")
    # uvicorn raises the signal again at its end; that is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _ignore)
    with listener:
        server = _Server(config, state, on_listening)
        server.run(sockets=[listener])
    if not server.started:
        raise DocgraphError("the server did not start; the lines above say why")


class _Server(LimitedServer):
    def __init__(
        self, config: uvicorn.Config, state: AppState, on_listening: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._state = state
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._on_listening()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._state.drain()
        super().handle_exit(sig, frame)


def _ignore(_: int, __: FrameType | None) -> None:
    """The server has handled the signal."""
