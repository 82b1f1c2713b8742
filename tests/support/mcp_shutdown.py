"""A server that is stopped during a call; prints what the client of that call gets."""

import os
import signal
import threading
import time
from typing import Any

import httpx

from docgraph.interfaces.auth.authentication import Authentication
from docgraph.interfaces.mcp.http_transport import mcp_app
from docgraph.interfaces.mcp.tool_context import load_pipelines
from docgraph.interfaces.mcp.transports import listen
from docgraph.interfaces.server.listener import open_listener
from docgraph.model.errors import NotVisible
from docgraph.wiring.server_settings import ServeSettings
from tests.support.engines import engine_answering

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "fetch", "arguments": {"id": "r:a"}},
}


class EndsMeanwhile:
    """Finds nothing."""

    def nodes(self, *_: Any, **__: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1.2)
        raise NotVisible("nothing visible under this id")


def ask(url: str) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    answer = httpx.post(url, json=CALL, headers=accept, timeout=20)
    print(answer.status_code, answer.json()["result"]["content"][0]["text"])  # noqa: T201


if __name__ == "__main__":
    with open_listener("127.0.0.1", 0, is_open=True) as place:
        app = mcp_app(engine_answering(EndsMeanwhile()), Authentication(), load_pipelines())
        listen(
            app,
            place,
            lambda url: threading.Thread(target=ask, args=(url,)).start(),
            ServeSettings(drain=10),
        )
