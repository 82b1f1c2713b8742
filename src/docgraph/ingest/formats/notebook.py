"""Jupyter notebooks: read as Markdown, with code and what it printed between fences."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.formats.pdf import page_borders, paged
from docgraph.ingest.formats.sections import chosen
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import with_newlines
from docgraph.ports.source import SourceProblem

# What the code of a notebook printed: text alone, and not much of it.


_LONGEST = 1_000  # of one cell
_ENOUGH = 100_000  # of one output, before it is cleaned
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_OVERWRITTEN = re.compile(r"^.*\r(?!$)", re.MULTILINE)  # progress bars write over themselves
_ADDRESS = re.compile(r"\[?<.* at 0x[0-9A-Fa-f]+>.*", re.DOTALL)  # says nothing to a reader


def held_text(raw: object) -> str:
    """Text that a notebook keeps as a string or as a list of lines."""
    lines = raw if isinstance(raw, list) else [raw]
    text = "".join(line for line in lines if isinstance(line, str)).replace("\0", "")
    # JSON may hold halves of characters
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def printed(outputs: object) -> str:
    """The outputs of a cell, cut at the end of a line where they are long."""
    whole = "\n".join(_shown(outputs if isinstance(outputs, list) else []))
    if len(whole) <= _LONGEST:
        return whole
    cut = whole.rfind("\n", _LONGEST // 2, _LONGEST)
    return f"{whole[: cut if cut > 0 else _LONGEST]}\n…"


def _shown(outputs: list[object]) -> Iterator[str]:
    for output in outputs:
        said = _said(output) if isinstance(output, Mapping) else ""
        plain = _STEERING.sub("", _OVERWRITTEN.sub("", said[:_ENOUGH].replace("\r\n", "\n")))
        if plain.strip() and not _ADDRESS.fullmatch(plain.strip()):
            yield plain.strip("\n")


def _said(output: Mapping[str, object]) -> str:
    """Of nbformat 4 or 3. What stands in for an image is not shown, of an error its message."""
    if "ename" in output:
        return f"{held_text(output['ename'])}: {held_text(output.get('evalue'))}"
    data = output.get("data")
    forms = data if isinstance(data, Mapping) else output
    if any(form.startswith(("image", "png", "jpeg", "svg")) for form in forms):
        return ""
    return held_text(forms.get("text/plain", forms.get("text")))


def source_text(raw: object) -> str:
    return with_newlines(held_text(raw))


# The cells of a notebook as Markdown, each complete in itself.


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


def parse_notebook(path: str, text: str) -> ParsedFile | SourceProblem:
    """Cells are its pages, and no chunk reaches across the end of one; markdown is its prose."""
    try:
        notebook = json.loads(text) if text.strip() else {"cells": []}
    except ValueError as error:
        return SourceProblem(path, f"no notebook: not JSON ({error})")
    cells = cells_of(notebook)
    if cells is None:
        return SourceProblem(path, "no notebook: it has neither cells nor worksheets")
    language = language_of(notebook)
    said = [as_markdown(cell, language, first=not index) for index, cell in enumerate(cells)]
    whole, starts = paged(said)
    spans = zip(cells, starts, (len(markdown) for markdown in said), strict=True)
    parsed = parse_markdown(path, whole)
    return replace(
        _titled(path, parsed, notebook),
        borders=tuple(sorted({*parsed.borders, *page_borders(starts)})),
        prose=tuple(
            (start, start + length)
            for cell, start, length in spans
            if length and cell.get("cell_type") in PROSE
        ),
        pages=starts,
    )


def _titled(path: str, parsed: ParsedFile, notebook: Mapping[str, Any]) -> ParsedFile:
    """What the cells say comes before what the notebook's metadata do."""
    told = notebook.get("metadata")
    name = told.get("title") if isinstance(told, Mapping) else None
    if parsed.titled or not isinstance(name, str):
        return parsed
    title, titled = chosen(path, name)
    return replace(parsed, title=title, titled=titled)
