"""Which reader reads which file: the next format is one file in `parse` and one line here."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from docgraph.ingest.formats.docx import read_docx
from docgraph.ingest.formats.front_matter import FrontMatter, front_matter
from docgraph.ingest.formats.html import declared_charset, read_html
from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.formats.notebook import parse_notebook
from docgraph.ingest.formats.pdf import read_pdf
from docgraph.ingest.formats.rst import parse_rst
from docgraph.ingest.formats.sections import tidy
from docgraph.ingest.formats.text import parse_text
from docgraph.ingest.languages.csharp import parse_csharp
from docgraph.ingest.languages.java import parse_java
from docgraph.ingest.languages.javascript import parse_javascript, parse_tsx, parse_typescript
from docgraph.ingest.languages.python import parse_python
from docgraph.ingest.languages.sql import parse_sql
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import decode
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceProblem

Reader = Callable[[str, bytes], ParsedFile | SourceProblem]


@dataclass(frozen=True, slots=True)
class Format:
    """`read` makes sense of (path, bytes); `extra` names what has to be installed for that."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    extra: str = ""


def of_text(parse: Callable[[str, str], ParsedFile | SourceProblem]) -> Reader:
    """A reader for files that are UTF-8 text."""

    def read_text(path: str, data: bytes) -> ParsedFile | SourceProblem:
        text = decode(path, data)
        return text if isinstance(text, SourceProblem) else parse(path, text)

    return read_text


FORMATS = (
    Format("csharp", (".cs",), of_text(parse_csharp), extra="languages"),
    Format("docx", (".docx",), read_docx, extra="formats"),
    Format("html", (".html", ".htm", ".xhtml"), read_html),
    Format("java", (".java",), of_text(parse_java), extra="languages"),
    Format(
        "javascript", (".js", ".mjs", ".cjs", ".jsx"), of_text(parse_javascript), extra="languages"
    ),
    Format("markdown", (".md", ".markdown"), of_text(parse_markdown)),
    Format("notebook", (".ipynb",), of_text(parse_notebook)),
    Format("pdf", (".pdf",), read_pdf, extra="formats"),
    Format("python", (".py",), of_text(parse_python)),
    Format("rst", (".rst", ".rest"), of_text(parse_rst)),
    Format("sql", (".sql",), of_text(parse_sql), extra="languages"),
    Format("text", (".txt", ".text"), of_text(parse_text)),
    Format("tsx", (".tsx",), of_text(parse_tsx), extra="languages"),
    Format("typescript", (".ts", ".mts", ".cts"), of_text(parse_typescript), extra="languages"),
)
SUFFIXES = tuple(sorted(suffix for known in FORMATS for suffix in known.suffixes))
_BY_NAME = {known.name: known for known in FORMATS}
_BY_SUFFIX = {suffix: known for known in FORMATS for suffix in known.suffixes}
# Files that projects write without a suffix.
_BARE = ("authors", "changelog", "changes", "contributing", "license", "news", "notice", "readme")

_THEIR_OWN = frozenset({"docx", "markdown", "notebook", "pdf"})  # these see to it, or are no text
_DASHED = frozenset({"sql"})  # a line of dashes is a comment there: only a whole block counts
# Dashes, what else is not ASCII, or a comment: all that front matter can begin with.
_MAYBE_FENCED = re.compile(rb"\s*(?:[-+\x1c-\x1f\x80-\xff]|<!--)")


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


def read(file: SourceFile, data: bytes, known: Format) -> ParsedFile | SourceProblem:
    """A title that the source gives comes before any that the text says."""
    try:
        parsed = known.read(file.path, data)
        if isinstance(parsed, ParsedFile) and parsed.access is None:
            parsed = _with_access(file.path, data, known, parsed)
    except RecursionError:
        return SourceProblem(file.path, "nested too deeply to be read")
    except ModuleNotFoundError:
        if not known.extra:
            raise
        return SourceProblem(file.path, _install(known))
    if isinstance(parsed, SourceProblem) or not file.title:
        return parsed
    return replace(parsed, title=tidy(file.title), titled=True)


def _with_access(path: str, data: bytes, known: Format, parsed: ParsedFile) -> ParsedFile:
    """Front matter may stand on top of any text, and says who may read it."""
    if known.name in _THEIR_OWN or not _MAYBE_FENCED.match(data):
        return parsed
    text = decode(path, data, declared_charset(data))
    front = front_matter(text) if isinstance(text, str) else FrontMatter()
    if front.access is None or (known.name in _DASHED and not front.end):
        return parsed
    return replace(parsed, access=front.access, remarks=(*parsed.remarks, *front.remarks))


def _install(known: Format) -> str:
    return f"needs `pip install docgraph[{known.extra}]`"


def missing_extras() -> tuple[str, ...]:
    """Extras that are not installed: each of their readers is given an empty file to read."""
    optional = [known for known in FORMATS if known.extra]
    refused = {known.extra for known in optional if _needs(known)}
    return tuple(sorted(refused))


def _needs(known: Format) -> bool:
    name = f"empty{known.suffixes[0]}"
    found = read(SourceFile(name, 0), b"", known)
    return isinstance(found, SourceProblem) and found.reason == _install(known)
