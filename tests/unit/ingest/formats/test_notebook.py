"""Notebooks: prose is Markdown, code is fenced, and chunks are cited by cell."""

import json
from typing import Any

import pytest

from docgraph.ingest.chunking import split_chunks
from docgraph.ingest.formats.notebook import parse_notebook
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ports.source import SourceProblem

Cell = dict[str, Any]


def markdown(source: str | list[str]) -> Cell:
    return {"cell_type": "markdown", "source": source}


def code(source: str, *outputs: Cell) -> Cell:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def stream(text: str | list[str]) -> Cell:
    return {"output_type": "stream", "text": text}


def result(**data: str) -> Cell:
    named = {name.replace("_", "/"): value for name, value in data.items()}
    return {"output_type": "execute_result", "data": named}


def notebook(*cells: Cell, **metadata: object) -> ParsedFile:
    text = json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4})
    found = parse_notebook("a.ipynb", text)
    assert isinstance(found, ParsedFile)
    return found


@pytest.mark.requirement(6)
def test_a_chunk_is_cited_by_its_cell_and_crosses_none() -> None:
    found = notebook(
        markdown("# Title\n\nLead."),
        code(""),
        code("x = 1", stream("one\n")),
        markdown("## S\n\nx"),
    )
    made = split_chunks("a.ipynb", found, "r:a", ["r:a#s"])
    assert [(chunk.text, chunk.location.cite()) for chunk in made] == [
        ("# Title\n\nLead.", "a.ipynb cell 1"),
        ("```\nx = 1\n```\n\n```\none\n```", "a.ipynb cell 3"),
        ("## S\n\nx", "a.ipynb cell 4"),
    ]


def test_headings_links_and_lead_are_markdowns() -> None:
    found = notebook(
        markdown(["# T\n", "\n", "Lead [b](b.ipynb)."]), code("# no heading"), markdown("## S\n\nx")
    )
    assert (found.title, found.lead) == ("T", "Lead b.")
    assert [(part.name, part.lead) for part in found.parts] == [("s", "x")]
    assert [(r.target, found.text[r.start : r.end]) for r in found.links] == [
        ("b.ipynb", "[b](b.ipynb)")
    ]
    assert found.prose is not None
    assert [found.text[start:end] for start, end in found.prose] == [
        "# T\n\nLead [b](b.ipynb).",
        "## S\n\nx",
    ]


def test_code_names_its_language_and_fences_are_long_enough() -> None:
    found = notebook(code('s = """\n```\n"""'), language_info={"name": "python"})
    assert found.text == '````python\ns = """\n```\n"""\n````'
    assert notebook(code("x"), language_info={"name": "a b\n```"}).text == "```\nx\n```"
    assert notebook(code("x"), kernelspec={"language": "R"}).text == "```R\nx\n```"


@pytest.mark.parametrize("open_end", ["```\ncode", "~~~~\n```", "<!-- note", "- a\n\n```py\nx"])
def test_what_a_cell_leaves_open_does_not_swallow_the_next(open_end: str) -> None:
    found = notebook(markdown(open_end), markdown("# Title"), markdown("## S\n\nx"))
    assert (found.title, [part.title for part in found.parts]) == ("Title", ["S"])


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (result(text_plain="42"), "42"),
        (result(text_plain="<Figure at 0x7f01>", image_png="aGk="), ""),
        (result(text_plain="[<matplotlib.lines.Line2D at 0x7f01ab>]"), ""),
        (result(text_html="<b>no</b>"), ""),
        (stream(["a\n", "b\n"]), "a\nb"),
        (stream("10%\r50%\r100%\ndone\r\n"), "100%\ndone"),
        (stream("\x1b[31mred\x1b[0m\x07"), "red"),
        ({"output_type": "error", "ename": "E", "evalue": "why", "traceback": ["no"]}, "E: why"),
        ({"output_type": "pyout", "text": ["v3"]}, "v3"),
        ({"output_type": "display_data", "png": "aGk=", "text": ["<Figure>"]}, ""),
        ({"output_type": "stream", "text": 7}, ""),
    ],
)
def test_outputs_are_text_alone(output: Cell, shown: str) -> None:
    expected = f"```\nx\n```\n\n```\n{shown}\n```" if shown else "```\nx\n```"
    assert notebook(code("x", output)).text == expected


def test_long_outputs_are_cut_at_the_end_of_a_line() -> None:
    found = notebook(code("x", stream("0123456789\n" * 100_000)))
    assert len(found.text) < 1_100
    assert found.text.endswith("0123456789\n…\n```")
    assert len(notebook(code("x", stream("x" * 5_000_000))).text) < 1_100


def test_worksheets_of_the_third_format_are_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Title"]},
        {"cell_type": "heading", "level": 2, "source": "Sec\ntion"},
        {"cell_type": "code", "input": ["x"], "outputs": [{"output_type": "pyout", "text": "1"}]},
    ]
    found = parse_notebook("a.ipynb", json.dumps({"worksheets": [{"cells": cells}]}))
    assert isinstance(found, ParsedFile)
    assert (found.title, [part.title for part in found.parts]) == ("Title", ["Sec tion"])
    assert found.text.endswith("```\nx\n```\n\n```\n1\n```")


def test_a_raw_cell_on_top_is_front_matter_and_others_are_kept() -> None:
    top = {"cell_type": "raw", "source": "---\ntitle: Front\n---"}
    found = notebook(top, {"cell_type": "raw", "source": "# raw"})
    assert (found.title, found.parts) == ("Front", ())
    assert found.text == "---\ntitle: Front\n---\n\n```\n# raw\n```"


def test_the_metadatas_title_replaces_a_missing_one() -> None:
    assert notebook(markdown("x"), title="Stated").title == "Stated"
    assert notebook(markdown("# Own"), title="Stated").title == "Own"
    assert notebook(markdown("x"), title=7).title == "a.ipynb"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "no notebook: not JSON (Expecting property name"),
        ("[]", "no notebook: it has neither cells nor worksheets"),
        ('{"a": 1}', "no notebook: it has neither cells nor worksheets"),
        ('{"worksheets": 1}', "no notebook: it has neither cells nor worksheets"),
        ("1" * 5_000, "no notebook: not JSON"),
    ],
)
def test_what_is_no_notebook_is_a_problem(text: str, reason: str) -> None:
    found = parse_notebook("a.ipynb", text)
    assert isinstance(found, SourceProblem)
    assert found.reason.startswith(reason)


def test_odd_cells_and_halves_of_characters_do_no_harm() -> None:
    odd = [7, {}, {"cell_type": 1}, {"cell_type": "markdown", "source": ["a", 1, "\ud800\0b\r\nc"]}]
    text = json.dumps({"cells": odd, "metadata": []})
    found = parse_notebook("a.ipynb", text)
    assert isinstance(found, ParsedFile)
    assert (found.text, found.pages) == ("a\ufffdb\nc", (0, 0, 0, 0))
