"""A measured figure in the documentation stands beside the command that prints its kind."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
TEXTS = (*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("adr/*.md")))
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FIGURE = re.compile(r"\d (?:ms|µs|MB|GB)\b|\bmeasured \|")
COMMAND = re.compile(
    r"python -m ((?:benchmarks|checks)\.\w+)|\bmake (?:\w+=\S+ )*(bench|load|quality)\b"
)
MODULE = re.compile(r"python -m ((?:benchmarks|checks|tests)(?:\.\w+)+)")


def sections(text: str) -> Iterator[str]:
    """Without blocks of code, whose output other tests compare."""
    yield from re.split(r"^## ", FENCE.sub("", text), flags=re.MULTILINE)


def unexplained(text: str) -> list[str]:
    """The beginnings of sections that have a figure and no command."""
    return [
        part.partition("\n")[0]
        for part in sections(text)
        if FIGURE.search(part) and not COMMAND.search(part)
    ]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_section_with_a_measured_figure_names_the_command(path: Path) -> None:
    assert unexplained(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_named_module_can_be_run(path: Path) -> None:
    named = MODULE.findall(path.read_text(encoding="utf-8"))
    assert [name for name in named if find_spec(name) is None] == []


@pytest.mark.parametrize("figure", ["A question takes 9 ms.", "| a | measured |\n|---|---|\n"])
def test_a_figure_without_a_command_is_found(figure: str) -> None:
    assert unexplained(f"# Page\n\n`make bench`\n\n## Part\n\n{figure}") == ["Part"]
    assert unexplained(f"# Page\n\n## Part\n\n`python -m benchmarks.speed`: {figure}") == []
