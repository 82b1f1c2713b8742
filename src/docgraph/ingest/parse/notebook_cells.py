"""The cells of a notebook as Markdown, each complete in itself."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from docgraph.ingest.parse.notebook_outputs import printed, source_text

_TICKS = re.compile(r"`+")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<rest>.*)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
PROSE = frozenset({"heading", "markdown"})

Cell = Mapping[str, Any]


def cells_of(notebook: object) -> list[Cell] | None:
    """Of nbformat 4, or out of the worksheets of 3; None where there are none to be had."""
    if not isinstance(notebook, Mapping):
        return None
    sheets = [notebook] if "cells" in notebook else notebook.get("worksheets")
    if not isinstance(sheets, list):
        return None
    held = [sheet.get("cells") for sheet in sheets if isinstance(sheet, Mapping)]
    found = [cell for cells in held if isinstance(cells, list) for cell in cells]
    return [cell if isinstance(cell, Mapping) else {} for cell in found]


def language_of(notebook: Mapping[str, Any]) -> str:
    told = notebook.get("metadata")
    for where, name in (("language_info", "name"), ("kernelspec", "language")):
        inner = told.get(where) if isinstance(told, Mapping) else None
        said = inner.get(name) if isinstance(inner, Mapping) else None
        if isinstance(said, str) and _LANGUAGE.fullmatch(said):
            return said
    return ""


def as_markdown(cell: Cell, language: str, *, first: bool) -> str:
    kind = cell.get("cell_type")
    source = source_text(cell.get("source", cell.get("input"))).strip("\n")
    if not source.strip():
        return ""
    if kind == "markdown":
        return _closed(source)
    if kind == "heading":
        level = cell.get("level")
        marks = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
        return f"{marks} {' '.join(source.split())}"
    if kind == "raw":
        return source if first and source.startswith("---\n") else _fenced(source)
    shown = printed(cell.get("outputs"))
    code = _fenced(source, language)
    return f"{code}\n\n{_fenced(shown)}" if shown else code


def _fenced(text: str, language: str = "") -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _closed(markdown: str) -> str:
    """What a cell leaves open ends with it, and does not swallow the cells behind it."""
    fence = _open_fence(markdown.split("\n"))
    if fence:
        return f"{markdown}\n{fence}"
    return f"{markdown} -->" if markdown.rfind("<!--") > markdown.rfind("-->") else markdown


def _open_fence(lines: Sequence[str]) -> str:
    fence = ""
    for line in lines:
        match = _FENCE.match(line)
        if match is None:
            continue
        if not fence:
            fence = match["mark"]
        elif match["mark"].startswith(fence) and not match["rest"].strip():
            fence = ""
    return fence
