"""Draws time and memory against the size of the corpus as an SVG picture.

Both scales are logarithmic. Times are multiples of those at the smallest size, since a machine's
milliseconds say little; the dotted line is what a cost that grows with the corpus would be.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.growth_figures import GrowthFigures

WIDTH, HEIGHT = 800, 340
TOP, BOTTOM = 70, 280
AIM = 1200  # MB resident at 100,000 documents
GREY, TEXT, BLUE, GREEN, RED = "#8a8a8a", "#d5d8d6", "#68b0d3", "#a8c05b", "#e07a6a"
FRAME = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{ font-family: sans-serif; font-size: 13px; fill: {text} }}
.title {{ font-size: 15px; font-weight: bold }}
</style>
<rect fill="#292929" stroke="{grey}" x="1" y="1" width="{right}" height="{bottom}" rx="8"/>
{parts}
</svg>
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram: its position and the ranges of its scales."""

    left: int
    right: int
    sizes: tuple[int, int]
    values: tuple[float, float]

    def x(self, documents: float) -> float:
        return self.left + (self.right - self.left) * _share(documents, *self.sizes)

    def y(self, value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * _share(value, *self.values)

    def line(self, points: Sequence[tuple[int, float]], colour: str, dotted: str = "") -> str:
        along = " ".join(f"{self.x(size):.1f},{self.y(value):.1f}" for size, value in points)
        dots = "".join(
            f'<circle cx="{self.x(size):.1f}" cy="{self.y(value):.1f}" r="3.5" fill="{colour}"/>\n'
            for size, value in points
            if not dotted
        )
        style = f'fill="none" stroke="{colour}" stroke-width="2"'
        dash = f' stroke-dasharray="{dotted}"' if dotted else ""
        return f'<polyline points="{along}" {style}{dash}/>\n{dots}'

    def frame(self, title: str, unit: str, ticks: Sequence[float], sizes: Sequence[int]) -> str:
        rows = [_text(self.left, 34, title, 'class="title"')]
        for value in ticks:
            y = self.y(value)
            rows.append(f'<path d="M{self.left} {y:.1f}H{self.right}" stroke="#4a4a4a"/>')
            rows.append(_text(self.left - 8, y + 4, f"{value:,g}{unit}", 'text-anchor="end"'))
        for size in sizes:
            text = f"{size // 1000}k" if size >= 1000 else str(size)
            rows.append(_text(self.x(size), BOTTOM + 20, text, 'text-anchor="middle"'))
        middle = (self.left + self.right) / 2
        rows.append(_text(middle, BOTTOM + 42, "documents", 'text-anchor="middle"'))
        return "\n".join(rows)


def draw(found: Sequence[GrowthFigures]) -> str:
    """The same figures always give the same picture; `found` goes from small to large."""
    sizes = [one.documents for one in found]
    parts = [*_times(found, sizes), *_memory(found, sizes)]
    return FRAME.format(
        width=WIDTH,
        height=HEIGHT,
        right=WIDTH - 2,
        bottom=HEIGHT - 2,
        text=TEXT,
        grey=GREY,
        parts="\n".join(parts),
    )


def _times(found: Sequence[GrowthFigures], sizes: Sequence[int]) -> list[str]:
    first, last = found[0], found[-1]
    search = [(one.documents, one.search / first.search) for one in found]
    execute = [(one.documents, one.execute / first.execute) for one in found]
    corpus = [(size, size / first.documents) for size in (first.documents, last.documents)]
    ticks = _ticks(min(1.0, *(value for _, value in search + execute)), corpus[-1][1])
    panel = Panel(70, 380, (sizes[0], sizes[-1]), (ticks[0], ticks[-1]))
    return [
        panel.frame(f"time, as a multiple of that at {first.documents:,}", " x", ticks, sizes),
        panel.line(corpus, GREY, "2 5"),
        panel.line(search, BLUE),
        panel.line(execute, GREEN),
        *_legend(70, (("search", BLUE), ("execute a plan", GREEN), ("the corpus", GREY))),
    ]


def _memory(found: Sequence[GrowthFigures], sizes: Sequence[int]) -> list[str]:
    held = [(one.documents, one.megabytes) for one in found]
    ticks = _ticks(min(value for _, value in held), max(AIM, *(value for _, value in held)))
    panel = Panel(480, 770, (sizes[0], sizes[-1]), (ticks[0], ticks[-1]))
    return [
        panel.frame("resident memory", " MB", ticks, sizes),
        panel.line([(sizes[0], AIM), (sizes[-1], AIM)], GREY, "2 5"),
        panel.line(held, RED),
        *_legend(480, (("a process that asks", RED), ("the aim at 100k", GREY))),
    ]


def _legend(left: int, names: Sequence[tuple[str, str]]) -> list[str]:
    rows, at = [], left
    for name, colour in names:
        rows.append(f'<circle cx="{at + 4}" cy="50" r="4" fill="{colour}"/>')
        rows.append(_text(at + 13, 54, name, ""))
        at += 30 + 7 * len(name)
    return rows


def _ticks(least: float, most: float) -> list[float]:
    """1, 2, 5, 10 and so on, from one not above the least to one not below the most."""
    steps = [digit * 10.0**power for power in range(-2, 6) for digit in (1, 2, 5)]
    low = max(step for step in steps if step <= least)
    high = min(step for step in steps if step >= most)
    return [step for step in steps if low <= step <= high]


def _share(value: float, low: float, high: float) -> float:
    return math.log(value / low) / math.log(high / low) if high > low else 0.5


def _text(x: float, y: float, said: str, more: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{said}</text>'
