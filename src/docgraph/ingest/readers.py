"""Which reader reads which file: the next format is one file in `parse` and one line here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from docgraph.ingest.decode import decoded
from docgraph.ingest.parse.markdown import parse_markdown
from docgraph.ingest.parse.python import parse_python
from docgraph.ingest.parse.rst import parse_rst
from docgraph.ingest.parse.text import parse_text
from docgraph.ingest.parse.titles import tidy
from docgraph.ingest.parsed import Parsed
from docgraph.model.errors import BadInput
from docgraph.ports.source import Problem, SourceFile


@dataclass(frozen=True, slots=True)
class Format:
    """`decode` makes text of bytes, `parse` makes sense of (path, text)."""

    name: str
    suffixes: tuple[str, ...]
    parse: Callable[[str, str], Parsed]
    decode: Callable[[str, bytes], str | Problem] = decoded


FORMATS = (
    Format("markdown", (".md", ".markdown"), parse_markdown),
    Format("python", (".py",), parse_python),
    Format("rst", (".rst", ".rest"), parse_rst),
    Format("text", (".txt", ".text"), parse_text),
)
SUFFIXES = tuple(sorted(suffix for known in FORMATS for suffix in known.suffixes))
_BY_NAME = {known.name: known for known in FORMATS}
_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}
# Files that projects write without a suffix.
_BARE = ("authors", "changelog", "changes", "contributing", "license", "news", "notice", "readme")


def format_for(file: SourceFile) -> Format | None:
    """The format the source gave, else the suffix's; None for files nobody here reads."""
    if file.format is not None:
        if file.format not in _BY_NAME:
            known = ", ".join(_BY_NAME)
            raise BadInput(f"{file.path}: no format is called {file.format!r}; known: {known}")
        return _BY_NAME[file.format]
    if PurePosixPath(file.path).name.casefold() in _BARE:
        return _BY_NAME["text"]
    return _BY_SUFFIX.get(suffix_of(file.path))


def suffix_of(path: str) -> str:
    return PurePosixPath(path).suffix.casefold()


def read(file: SourceFile, data: bytes, known: Format) -> Parsed | Problem:
    """A title that the source gives comes before any that the text says."""
    text = known.decode(file.path, data)
    if isinstance(text, Problem):
        return text
    try:
        parsed = known.parse(file.path, text)
    except RecursionError:
        return Problem(file.path, "nested too deeply to be read")
    return replace(parsed, title=tidy(file.title), titled=True) if file.title else parsed
