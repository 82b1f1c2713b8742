"""Serving HTTP in one process or in several; imports little, since of several this serves none."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from docgraph.interfaces.server.listener import listener_url, open_listener, share_listener
from docgraph.interfaces.server.worker_processes import (
    WorkerProcesses,
    end_with_parent,
    has_parent,
)
from docgraph.interfaces.terminal import escape_streams, log_server
from docgraph.model.errors import DocgraphError, MissingExtra
from docgraph.wiring.settings import Settings


def serve_in_processes(settings: Settings, on_listening: Callable[[str], None]) -> None:
    """Until SIGTERM or SIGINT; then open requests are finished within the time to drain.

    `on_listening` gets the URL once all processes serve.
    """
    serve = settings.serve
    if serve.workers == 1:
        with _http_extra():
            from docgraph.interfaces.http.server.serve import serve_http
        serve_http(settings, on_listening)
        return
    first = open_listener(serve.host, serve.port, is_open=settings.login.open_to_local)
    listeners = share_listener(first, serve.workers)
    url = listener_url(first)

    def close_listeners() -> None:
        """Else connections would wait for processes that accept none any more."""
        for listener in listeners:
            listener.close()

    log_server()
    with TemporaryDirectory(prefix="docgraph-serve-") as folder:
        settings = replace(settings, shared_vectors=str(Path(folder, "vectors")))
        targets = [
            partial(_serve, settings, listener, number, folder)
            for number, listener in enumerate(listeners)
        ]
        processes = WorkerProcesses(targets, partial(_forget_gauges, folder))
        processes.run(lambda: on_listening(url), close_listeners, serve.drain)


@contextmanager
def _http_extra() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            "serving over HTTP needs more packages; install them with: pip install 'docgraph[http]'"
        ) from error


def _forget_gauges(folder: str, process: int) -> None:
    """Counts of a process that has ended stay; what it had under way does not."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(process, folder)  # type: ignore[no-untyped-call]


def _serve(
    settings: Settings, listener: socket.socket, number: int, folder: str, reports: Connection
) -> None:
    """In a process of its own."""
    end_with_parent()
    escape_streams()
    # prometheus_client reads it when it is imported, and counts in files of this folder.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    try:
        with _http_extra():
            from docgraph.interfaces.http.server.app_state import WorkerRole, build_app_state
            from docgraph.interfaces.http.server.serve import run_server
        state = build_app_state(settings, role=WorkerRole(number, folder))
        run_server(state, listener, lambda: reports.send(None))
    except (DocgraphError, OSError) as error:
        reports.send(error)
        sys.exit(1)
    finally:
        reports.close()
        if not has_parent():
            rmtree(folder, ignore_errors=True)  # another process may be as quick
