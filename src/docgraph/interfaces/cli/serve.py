"""docgraph serve and mcp: the engine over HTTP, and as tools over MCP."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    AsOption,
    JsonOption,
    StoreOption,
    current_settings,
)
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docgraph.engine import Engine
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.wiring.settings import Settings


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
            help="Ingest jobs may read below this folder; repeatable.",
            show_default=False,
        ),
    ] = None,
    watch: Annotated[
        list[str] | None,
        typer.Option(
            "--watch",
            metavar="PATH",
            help="Ingest this folder whenever it changes; repeatable.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            min=1,
            max=64,
            help="Serve with so many processes.",
            show_default=False,
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Serve the engine over HTTP.

    It says where it listens, and ends in good order on SIGTERM. Beyond this machine it
    listens only where a login is configured.
    """
    from dataclasses import replace

    from docgraph.interfaces.http.server.serve_processes import serve_in_processes
    from docgraph.wiring.backends import check_store_url
    from docgraph.wiring.settings import for_server

    settings = check_store_url(for_server(current_settings(store)))
    written = settings.serve
    chosen = replace(
        written,
        host=written.host if host is None else host,
        port=written.port if port is None else port,
        workers=written.workers if workers is None else workers,
        roots=tuple(root) if root else written.roots,
        watch=tuple(watch) if watch else written.watch,
    )

    def show_url(url: str) -> None:
        if json:
            print_json({"url": url})
        else:
            echo(f"docgraph listens on {url}")
        sys.stdout.flush()

    serve_in_processes(replace(settings, serve=chosen), show_url)


def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Listen for streamable HTTP instead, at /mcp.")
    ] = False,
    host: Annotated[
        str | None,
        typer.Option("--host", help="The address to listen on.", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="The port; 0 takes a free one.", show_default=False
        ),
    ] = None,
    as_: AsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Serve a model's tools over MCP.

    Read-only tools for clients of the Model Context Protocol: search, fetch, context, plan,
    explain, relations. Speaks over standard input and output, and ends when that does.
    """
    from docgraph.model.errors import BadInput

    _require_mcp()
    from docgraph.interfaces.mcp.tool_context import load_pipelines
    from docgraph.wiring.backends import require_store
    from docgraph.wiring.plugins import check_plugins
    from docgraph.wiring.settings import for_server

    settings = current_settings(store)
    if http:
        settings = for_server(settings)
        check_plugins(settings.plugins)
    engine = _engine(require_store(settings))
    pipelines = load_pipelines(settings.serve.pipelines, engine.questions.find_action)
    if not http:
        _over_stdio(settings, engine, pipelines, as_)
    elif as_ is not None:
        raise BadInput("--as is not for --http: there every request shows who asks")
    else:
        served = settings.serve
        where = (host or served.host, served.port if port is None else port)
        _over_http(settings, engine, pipelines, where, json=json)


def _require_mcp() -> None:
    from docgraph.model.errors import BadInput

    try:
        import_module("mcp.server.lowlevel")
    except ImportError as error:
        raise BadInput(
            "docgraph mcp needs the MCP SDK; install it with: pip install 'docgraph[mcp]'"
        ) from error


def _engine(settings: "Settings") -> "Engine":
    """Its embedder loads in the background, so that the first call is as quick as the others."""
    from docgraph.wiring.models import preload_embedder

    embedder = preload_embedder(settings)
    from docgraph.wiring.build import build_engine

    return build_engine(settings, embedder, is_server=True)


def _over_stdio(
    settings: "Settings",
    engine: "Engine",
    pipelines: "Mapping[str, Pipeline]",
    name: str | None,
) -> None:
    from docgraph.interfaces.auth.principals import principal_for
    from docgraph.interfaces.mcp.server import mcp_server
    from docgraph.interfaces.mcp.tool_context import ToolContext, limits_of
    from docgraph.interfaces.mcp.transports import serve_stdio
    from docgraph.wiring.build import build_administration

    administration = build_administration(settings)
    principal_for(name, lambda: administration)  # an unknown name is refused at once
    context = ToolContext(engine, pipelines, limits_of(settings.serve))
    serve_stdio(
        mcp_server(context, lambda _: principal_for(name, lambda: administration), from_afar=False)
    )


def _over_http(
    settings: "Settings",
    engine: "Engine",
    pipelines: "Mapping[str, Pipeline]",
    where: tuple[str, int],
    *,
    json: bool,
) -> None:
    from docgraph.interfaces.auth.authentication import build_authentication
    from docgraph.interfaces.mcp.http_transport import mcp_app
    from docgraph.interfaces.mcp.tool_context import limits_of
    from docgraph.interfaces.mcp.transports import listen
    from docgraph.interfaces.server.listener import open_listener

    def show_url(url: str) -> None:
        if json:
            print_json({"url": url})
        else:
            echo(f"listening on {url}")
        sys.stdout.flush()

    login, limits = build_authentication(settings), limits_of(settings.serve)
    with open_listener(*where, is_open=login.open_to_local) as listener:
        listen(mcp_app(engine, login, pipelines, limits), listener, show_url, settings.serve)
