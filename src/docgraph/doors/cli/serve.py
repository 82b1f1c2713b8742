"""docgraph serve: the engine over HTTP, for those who are elsewhere."""

import sys
from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, StoreOption, existing_or_new, print_json


def serve(
    host: Annotated[
        str | None,
        typer.Option("--host", help="Listen on this address.", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65_535,
            help="Listen on this port; 0 picks a free one.",
            show_default=False,
        ),
    ] = None,
    root: Annotated[
        list[str] | None,
        typer.Option(
            "--root",
            metavar="FOLDER",
            help="Ingestions may read below this folder; repeatable.",
            show_default=False,
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Serve the engine over HTTP.

    One process, which says where it listens, and ends in good order on SIGTERM. Beyond this
    machine it listens only where a login is configured.
    """
    from dataclasses import replace

    from docgraph.model.errors import MissingExtra

    settings = existing_or_new(store)
    written = settings.serve
    chosen = replace(
        written,
        host=written.host if host is None else host,
        port=written.port if port is None else port,
        roots=tuple(root) if root else written.roots,
    )
    try:
        from docgraph.doors.http.serve import serve_http
    except ImportError as error:
        raise MissingExtra(
            "serving over HTTP needs more packages; install them with: pip install 'docgraph[http]'"
        ) from error

    def told(url: str) -> None:
        if json:
            print_json({"url": url})
        else:
            typer.echo(f"docgraph listens on {url}")
        sys.stdout.flush()

    serve_http(replace(settings, serve=chosen), told)
