"""Jupyter notebooks: read as Markdown, with code and what it printed between fences."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from docgraph.ingest.parse.markdown import parse_markdown
from docgraph.ingest.parse.notebook_cells import PROSE, as_markdown, cells_of, language_of
from docgraph.ingest.parse.paged import page_borders, paged
from docgraph.ingest.parse.titles import chosen
from docgraph.ingest.parsed import Parsed
from docgraph.ports.source import Problem


def parse_notebook(path: str, text: str) -> Parsed | Problem:
    """Cells are its pages, and no chunk reaches across the end of one; markdown is its prose."""
    try:
        notebook = json.loads(text) if text.strip() else {"cells": []}
    except ValueError as error:
        return Problem(path, f"no notebook: not JSON ({error})")
    cells = cells_of(notebook)
    if cells is None:
        return Problem(path, "no notebook: it has neither cells nor worksheets")
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


def _titled(path: str, parsed: Parsed, notebook: Mapping[str, Any]) -> Parsed:
    """What the cells say comes before what the notebook's metadata do."""
    told = notebook.get("metadata")
    name = told.get("title") if isinstance(told, Mapping) else None
    if parsed.titled or not isinstance(name, str):
        return parsed
    title, titled = chosen(path, name)
    return replace(parsed, title=title, titled=titled)
