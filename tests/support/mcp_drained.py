"""A server that is told to end while a call is under way; prints what that call's client gets."""

import os
import signal
import threading
import time
from typing import Any

import httpx

from docgraph.doors.listening import listening
from docgraph.doors.login.login import Login
from docgraph.doors.mcp.alone import listen
from docgraph.doors.mcp.desk import on_offer
from docgraph.doors.mcp.over_http import mcp_app
from docgraph.engine import Engine
from docgraph.wiring.serve_settings import ServeSettings

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "fetch", "arguments": {"id": "r:a"}},
}


class EndsMeanwhile(Engine):
    def __init__(self) -> None:
        """No store: nothing is found."""

    def nodes(self, *_: Any, **__: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1.2)
        return ()


def ask(url: str) -> None:
    accept = {"Accept": "application/json, text/event-stream"}
    answer = httpx.post(url, json=CALL, headers=accept, timeout=20)
    print(answer.status_code, answer.json()["result"]["content"][0]["text"])  # noqa: T201


if __name__ == "__main__":
    with listening("127.0.0.1", 0, is_open=True) as place:
        app = mcp_app(EndsMeanwhile(), Login(), on_offer())
        listen(
            app,
            place,
            lambda url: threading.Thread(target=ask, args=(url,)).start(),
            ServeSettings(drain=10),
        )
