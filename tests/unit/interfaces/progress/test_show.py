"""How progress is shown where."""

import io
import sys

import pytest

from docgraph.interfaces.cli.progress.show import ProgressStyle, choose_style, terminal_only


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "term", "style"),
    [
        (Terminal(), "xterm-256color", ProgressStyle.TERMINAL),
        (Terminal(), "dumb", ProgressStyle.LINES),
        (io.StringIO(), "xterm-256color", ProgressStyle.LINES),
    ],
    ids=["terminal", "terminal that cannot redraw", "file"],
)
def test_only_a_terminal_that_can_redraw_gets_a_display(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, term: str, style: ProgressStyle
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", term)
    assert choose_style(quiet=False, json=False) is style
    assert choose_style(quiet=False, json=True) is ProgressStyle.JSON
    assert choose_style(quiet=True, json=True) is ProgressStyle.HIDDEN
    is_display = style is ProgressStyle.TERMINAL
    assert terminal_only() is (style if is_display else ProgressStyle.HIDDEN)
