"""docgraph mcp: the tools of the Model Context Protocol, over standard input and output or HTTP."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.doors.cli.options import (
    AsOption,
    JsonOption,
    StoreOption,
    current_settings,
    print_json,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from docgraph.engine import Engine
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.wiring.settings import Settings


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

    _need_mcp()
    from docgraph.doors.mcp.desk import on_offer
    from docgraph.wiring.existing_store import existing

    settings = existing(current_settings(store))
    offered = on_offer(settings.serve.pipelines)
    engine = _engine(settings)
    if not http:
        _over_stdio(settings, engine, offered, as_)
    elif as_ is not None:
        raise BadInput("--as is not for --http: there every request shows who asks")
    else:
        served = settings.serve
        where = (host or served.host, served.port if port is None else port)
        _over_http(settings, engine, offered, where, json=json)


def _need_mcp() -> None:
    from docgraph.model.errors import BadInput

    try:
        import_module("mcp.server.lowlevel")
    except ImportError as error:
        raise BadInput(
            "docgraph mcp needs the MCP SDK; install it with: pip install 'docgraph[mcp]'"
        ) from error


def _engine(settings: "Settings") -> "Engine":
    """Its embedder loads meanwhile, so that the first call is as quick as the others."""
    from docgraph.wiring.models import early_embedder

    embedder = early_embedder(settings)
    from docgraph.wiring.build import build_engine

    return build_engine(settings, embedder)


def _over_stdio(
    settings: "Settings",
    engine: "Engine",
    offered: "Mapping[str, Pipeline]",
    name: str | None,
) -> None:
    from docgraph.doors.login.asked_as import asked_as
    from docgraph.doors.mcp.desk import Desk
    from docgraph.doors.mcp.limits import limits_of
    from docgraph.doors.mcp.over_stdio import serve_stdio
    from docgraph.doors.mcp.server import mcp_server
    from docgraph.wiring.build import build_administration

    administration = build_administration(settings)
    asked_as(name, lambda: administration)  # a name that nobody has is refused before anything
    desk = Desk(engine, offered, limits_of(settings.serve))
    serve_stdio(mcp_server(desk, lambda _: asked_as(name, lambda: administration), from_afar=False))


def _over_http(
    settings: "Settings",
    engine: "Engine",
    offered: "Mapping[str, Pipeline]",
    where: tuple[str, int],
    *,
    json: bool,
) -> None:
    from docgraph.doors.listening import listening
    from docgraph.doors.login.build import build_login
    from docgraph.doors.mcp.alone import listen
    from docgraph.doors.mcp.limits import limits_of
    from docgraph.doors.mcp.over_http import mcp_app

    def told(url: str) -> None:
        if json:
            print_json({"url": url})
        else:
            typer.echo(f"listening on {url}")
        sys.stdout.flush()

    login, limits = build_login(settings), limits_of(settings.serve)
    with listening(*where, is_open=login.open_to_local) as place:
        listen(mcp_app(engine, login, offered, limits), place, told, settings.serve)
