"""Jupyter notebooks: read as Markdown, with code and its output between fences."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.formats.pdf import join_pages, page_borders
from docgraph.ingest.formats.sections import choose_title
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import normalise_newlines
from docgraph.ports.source import SourceProblem

_MAX_CELL_OUTPUT_CHARACTERS = 1_000
_MAX_OUTPUT_CHARACTERS = 100_000  # of one output, before it is cleaned
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_OVERWRITTEN = re.compile(r"^.*\r(?!$)", re.MULTILINE)  # progress bars write over themselves
_ADDRESS = re.compile(r"\[?<.* at 0x[0-9A-Fa-f]+>.*", re.DOTALL)  # an object's address


def join_text(raw: object) -> str:
    """Text that a notebook stores as a string or as a list of lines."""
    lines = raw if isinstance(raw, list) else [raw]
    text = "".join(line for line in lines if isinstance(line, str)).replace("\0", "")
    # JSON may contain half of a surrogate pair
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def output_text(outputs: object) -> str:
    """The outputs of a cell, cut at the end of a line where they are long."""
    whole = "\n".join(_clean_outputs(outputs if isinstance(outputs, list) else []))
    limit = _MAX_CELL_OUTPUT_CHARACTERS
    if len(whole) <= limit:
        return whole
    cut = whole.rfind("\n", limit // 2, limit)
    return f"{whole[: cut if cut > 0 else limit]}\n…"


def _clean_outputs(outputs: list[object]) -> Iterator[str]:
    for output in outputs:
        text = _read_output(output) if isinstance(output, Mapping) else ""
        lines = text[:_MAX_OUTPUT_CHARACTERS].replace("\r\n", "\n")
        plain = _CONTROL.sub("", _OVERWRITTEN.sub("", lines))
        if plain.strip() and not _ADDRESS.fullmatch(plain.strip()):
            yield plain.strip("\n")


def _read_output(output: Mapping[str, object]) -> str:
    """Of nbformat 4 or 3: of an error its message, of an image nothing."""
    if "ename" in output:
        return f"{join_text(output['ename'])}: {join_text(output.get('evalue'))}"
    data = output.get("data")
    forms = data if isinstance(data, Mapping) else output
    if any(form.startswith(("image", "png", "jpeg", "svg")) for form in forms):
        return ""
    return join_text(forms.get("text/plain", forms.get("text")))


def source_text(raw: object) -> str:
    return normalise_newlines(join_text(raw))


_TICKS = re.compile(r"`+")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<rest>.*)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
PROSE = frozenset({"heading", "markdown"})

Cell = Mapping[str, Any]


def cells_of(notebook: object) -> list[Cell] | None:
    """Of nbformat 4, or of the worksheets of 3; None where there are none."""
    if not isinstance(notebook, Mapping):
        return None
    sheets = [notebook] if "cells" in notebook else notebook.get("worksheets")
    if not isinstance(sheets, list):
        return None
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, Mapping)]
    every = [cell for cells in lists if isinstance(cells, list) for cell in cells]
    return [cell if isinstance(cell, Mapping) else {} for cell in every]


def language_of(notebook: Mapping[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        inner = metadata.get(key) if isinstance(metadata, Mapping) else None
        language = inner.get(name) if isinstance(inner, Mapping) else None
        if isinstance(language, str) and _LANGUAGE.fullmatch(language):
            return language
    return ""


def cell_to_markdown(cell: Cell, language: str, *, first: bool) -> str:
    kind = cell.get("cell_type")
    source = source_text(cell.get("source", cell.get("input"))).strip("\n")
    if not source.strip():
        return ""
    if kind == "markdown":
        return _close_blocks(source)
    if kind == "heading":
        level = cell.get("level")
        marks = "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1)
        return f"{marks} {' '.join(source.split())}"
    if kind == "raw":
        return source if first and source.startswith("---\n") else _fence(source)
    output = output_text(cell.get("outputs"))
    code = _fence(source, language)
    return f"{code}\n\n{_fence(output)}" if output else code


def _fence(text: str, language: str = "") -> str:
    longest_run = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest_run + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _close_blocks(markdown: str) -> str:
    """A fence or comment that a cell leaves open ends with the cell."""
    fence = _find_open_fence(markdown.split("\n"))
    if fence:
        return f"{markdown}\n{fence}"
    return f"{markdown} -->" if markdown.rfind("<!--") > markdown.rfind("-->") else markdown


def _find_open_fence(lines: Sequence[str]) -> str:
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
    """Cells are its pages, and no chunk crosses the end of one; Markdown cells are its prose."""
    try:
        notebook = json.loads(text) if text.strip() else {"cells": []}
    except ValueError as error:
        return SourceProblem(path, f"no notebook: not JSON ({error})")
    cells = cells_of(notebook)
    if cells is None:
        return SourceProblem(path, "no notebook: it has neither cells nor worksheets")
    language = language_of(notebook)
    texts = [cell_to_markdown(cell, language, first=not index) for index, cell in enumerate(cells)]
    whole, starts = join_pages(texts)
    spans = zip(cells, starts, (len(markdown) for markdown in texts), strict=True)
    parsed = parse_markdown(path, whole)
    return replace(
        _add_title(path, parsed, notebook),
        borders=tuple(sorted({*parsed.borders, *page_borders(starts)})),
        prose=tuple(
            (start, start + length)
            for cell, start, length in spans
            if length and cell.get("cell_type") in PROSE
        ),
        pages=starts,
    )


def _add_title(path: str, parsed: ParsedFile, notebook: Mapping[str, Any]) -> ParsedFile:
    """A title in the cells comes before that of the notebook's metadata."""
    metadata = notebook.get("metadata")
    name = metadata.get("title") if isinstance(metadata, Mapping) else None
    if parsed.titled or not isinstance(name, str):
        return parsed
    title, titled = choose_title(path, name)
    return replace(parsed, title=title, titled=titled)
