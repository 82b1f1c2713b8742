"""A context is shown as it is, and nothing in it steers the terminal."""

import subprocess
import sys

import pytest
from rich.markup import escape

from docgraph.interfaces.cli.console import out
from docgraph.interfaces.cli.render_context import show_context
from docgraph.model.context import Context, ContextDocument

TEXT = "a :warning: [bold]b[/bold] \\[c] 🙂\tlong" + " word" * 100 + "\n"
LOADED = """
import sys, docgraph.interfaces.cli.render_context
print(*{'rich', 'numpy'} & set(sys.modules))
"""


def context(text: str, reason: str = "") -> Context:
    share = (ContextDocument("r:a.md", 7, (), ()),)
    return Context("q", text, 7, 9, "words", share, (), reason)


def test_a_context_is_shown_letter_by_letter(capsys: pytest.CaptureFixture[str]) -> None:
    show_context(context(TEXT))
    assert capsys.readouterr().out == f"{TEXT}7 of 9 tokens: r:a.md 7\n"


def test_a_context_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_context(context("a\x1b[2Jb\x9bc\x07\n", reason="no\x1b[1mthing"))
    assert capsys.readouterr().out == (
        "no\\x1b[1mthing\na\\x1b[2Jb\\x9bc\\x07\n7 of 9 tokens: r:a.md 7\n"
    )


def test_an_id_with_colons_is_no_picture() -> None:
    with out.capture() as shown:
        out.print(escape("r:rocket:x.md"))
    assert shown.get() == "r:rocket:x.md\n"


def test_showing_a_context_loads_no_more_than_it_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"
