"""The console of tables, trees and progress: it draws with control characters, texts have none."""

from typing import IO, Any

from rich.console import Console
from rich.text import Text

from docgraph.interfaces.terminal import escape_controls, raw_stream


class EscapingConsole(Console):
    """Texts are escaped before they are laid out, so that columns fit."""

    @property
    def file(self) -> IO[str]:
        return self._file or raw_stream(err=self.stderr)

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        self._file = new_file

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(escape_controls(text), **options)


# An id must stay whole, also in a pipe: lines are not wrapped here.
out = EscapingConsole(highlight=False, soft_wrap=True, width=100_000, height=25, emoji=False)
