"""What commands print: lines with colours, and JSON. Control characters are escaped in both."""

import sys
from typing import TYPE_CHECKING, Any

import typer

from docgraph.interfaces.terminal import escape_controls, escape_json, raw_stream

if TYPE_CHECKING:
    from collections.abc import Callable


def echo(text: str = "", *, nl: bool = True, err: bool = False, **style: Any) -> None:
    """`style` is as for `typer.style`."""
    shown = escape_controls(text)
    typer.echo(typer.style(shown, **style) if style else shown, file=raw_stream(err=err), nl=nl)


def print_json(value: object) -> None:
    import json

    from docgraph.model.digest import plain

    print_json_text(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")


def print_json_list(name: str, visit: "Callable[[Callable[[object], None]], None]") -> None:
    """As `print_json({name: [...]})` prints it, each item when `visit` comes to it."""
    import json
    from textwrap import indent

    from docgraph.model.digest import plain

    before = f'{{\n  "{name}": ['
    separator = "\n"

    def write(item: object) -> None:
        nonlocal before, separator
        text = json.dumps(plain(item), indent=2, ensure_ascii=False)
        print_json_text(before + separator + indent(text, "    "))
        before, separator = "", ",\n"

    visit(write)
    print_json_text(before + "]\n}\n" if before else "\n  ]\n}\n")


def print_json_text(text: str) -> None:
    sys.stdout.write(escape_json(text))
