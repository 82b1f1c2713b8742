"""TOML files as documents: a section for every table, so that a key is found below its table."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from docgraph.ingest.formats.registry import Format, text_reader
from docgraph.ingest.formats.sections import Heading, Slugs, choose_title, make_sections
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import DOCUMENT
from docgraph.ports.source import SourceProblem

# Strings and comments come first: what looks like a table within them is none.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"'
    r"|'''.*?'''|'[^'\n]*'|#[^\n]*"
    r"|^[ \t]*(?P<table>\[\[[^\n]*?\]\]|\[[^\n]*?\])(?=[ \t]*(?:#|$))",
    re.DOTALL | re.MULTILINE,
)


def parse_toml(path: str, text: str) -> ParsedFile | SourceProblem:
    """The title is `title` or `name` at the top or below `project`, else the file's name."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        return SourceProblem(path, f"not TOML: {error}")
    project = data.get("project")
    tables = (data, project if isinstance(project, dict) else {})
    title, titled = choose_title(path, *_strings(tables, "title", "name"))
    return ParsedFile(
        kind=DOCUMENT,
        title=title,
        titled=titled,
        text=text,
        lead=next(_strings(tables, "description"), ""),
        parts=make_sections(tuple(_headings(text, data)), len(text), Slugs()),
    )


def _strings(tables: tuple[dict[str, Any], ...], *keys: str) -> Iterator[str]:
    values = (table.get(key) for table in tables for key in keys)
    return (value for value in values if isinstance(value, str))


def _headings(text: str, data: dict[str, Any]) -> Iterator[Heading]:
    """`[tool.ruff]` is of level 1, as every table: a later one need not follow its parent."""
    for match in _TOKEN.finditer(text):
        names = _names(match["table"]) if match["table"] else []
        if names and _holds(data, names):
            yield Heading(1, ".".join(names), match.start("table"), match.end("table"))


def _names(header: str) -> list[str]:
    """None for a row of an array, which may look like a header."""
    try:
        names, inner = [], tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return []
    while inner:
        ((name, inner),) = inner.items()
        inner = inner[0] if isinstance(inner, list) else inner
        names.append(name)
    return names


def _holds(data: Any, names: list[str]) -> bool:
    """Whether there is a table of these names."""
    if isinstance(data, list):
        return any(_holds(one, names) for one in data)
    if not names or not isinstance(data, dict):
        return isinstance(data, dict)
    return names[0] in data and _holds(data[names[0]], names[1:])


TOML = Format("toml", (".toml",), text_reader(parse_toml))
