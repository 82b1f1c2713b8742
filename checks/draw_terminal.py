"""Draws the terminal output of a command as an SVG picture.

After the README's session, with colours forced into the pipe:

    FORCE_COLOR=1 docgraph plan "…" | python -m checks.draw_terminal 'docgraph plan "…"' > plan.svg
"""

import io
import re
import sys

from rich.console import Console
from rich.text import Text

# Rich's own template fetches a font from the network; this one takes what the reader has.
TEMPLATE = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px }}
.{unique_id}-title {{ font-family: monospace; font-size: 16px }}
{styles}
</style>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
# Clipping, where nothing is too long, and texts that are a line's end.
NEEDLESS = re.compile(r' clip-path="[^"]*"|<text [^>]*>\s*</text>|(?m:^\s+)')


def draw_terminal(printed: str, title: str) -> str:
    """The same output always gives the same picture; it is as wide as its longest line."""
    text = Text.from_ansi(printed.rstrip("\n"))
    widest = max(line.cell_len for line in text.split("\n"))
    console = Console(record=True, file=io.StringIO(), width=max(widest, len(title) + 8))
    console.print(text, soft_wrap=True)
    picture = console.export_svg(title=title, code_format=TEMPLATE, unique_id="terminal")
    return NEEDLESS.sub("", picture).replace("><text", ">\n<text")


if __name__ == "__main__":
    sys.stdout.write(draw_terminal(sys.stdin.read(), sys.argv[1]))
