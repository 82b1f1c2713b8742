"""The formats, and which of them a file has. The next one is one module and one line here."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from docgraph.ingest.formats.docx import read_docx
from docgraph.ingest.formats.front_matter import FrontMatter, read_front_matter
from docgraph.ingest.formats.html import declared_charset, read_html
from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.formats.notebook import parse_notebook
from docgraph.ingest.formats.pdf import read_pdf
from docgraph.ingest.formats.rst import parse_rst
from docgraph.ingest.formats.sections import clean_title
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
    """`read` parses (path, bytes); `extra` names the extra that it needs to be installed."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    extra: str = ""


def text_reader(parse: Callable[[str, str], ParsedFile | SourceProblem]) -> Reader:
    """A reader of files that are UTF-8 text."""

    def read_text(path: str, data: bytes) -> ParsedFile | SourceProblem:
        text = decode(path, data)
        return text if isinstance(text, SourceProblem) else parse(path, text)

    return read_text


FORMATS = (
    Format("csharp", (".cs",), text_reader(parse_csharp), extra="languages"),
    Format("docx", (".docx",), read_docx, extra="formats"),
    Format("html", (".html", ".htm", ".xhtml"), read_html),
    Format("java", (".java",), text_reader(parse_java), extra="languages"),
    Format(
        "javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        text_reader(parse_javascript),
        extra="languages",
    ),
    Format("markdown", (".md", ".markdown"), text_reader(parse_markdown)),
    Format("notebook", (".ipynb",), text_reader(parse_notebook)),
    Format("pdf", (".pdf",), read_pdf, extra="formats"),
    Format("python", (".py",), text_reader(parse_python)),
    Format("rst", (".rst", ".rest"), text_reader(parse_rst)),
    Format("sql", (".sql",), text_reader(parse_sql), extra="languages"),
    Format("text", (".txt", ".text"), text_reader(parse_text)),
    Format("tsx", (".tsx",), text_reader(parse_tsx), extra="languages"),
    Format("typescript", (".ts", ".mts", ".cts"), text_reader(parse_typescript), extra="languages"),
)
SUFFIXES = tuple(sorted(suffix for one in FORMATS for suffix in one.suffixes))
_BY_NAME = {one.name: one for one in FORMATS}
_BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.suffixes}
# Names of text files without a suffix.
NAMES_WITHOUT_SUFFIX = (
    "authors",
    "changelog",
    "changes",
    "contributing",
    "license",
    "news",
    "notice",
    "readme",
)

# Formats that read front matter themselves, or are no text.
_OWN_FRONT_MATTER = frozenset({"docx", "markdown", "notebook", "pdf"})
_DASH_COMMENTS = frozenset({"sql"})  # a line of dashes is a comment: only a whole block counts
# Dashes, characters that are not ASCII, or a comment: all that front matter can begin with.
_MAYBE_FRONT_MATTER = re.compile(rb"\s*(?:[-+\x1c-\x1f\x80-\xff]|<!--)")


def format_for(file: SourceFile) -> Format | None:
    """The format that the source states, else the suffix's; None for files that no format reads."""
    if file.format is not None:
        if file.format not in _BY_NAME:
            known = ", ".join(_BY_NAME)
            raise BadInput(f"{file.path}: no format is called {file.format!r}; known: {known}")
        return _BY_NAME[file.format]
    if PurePosixPath(file.path).name.casefold() in NAMES_WITHOUT_SUFFIX:
        return _BY_NAME["text"]
    return _BY_SUFFIX.get(suffix_of(file.path))


def suffix_of(path: str) -> str:
    return PurePosixPath(path).suffix.casefold()


def read_file(file: SourceFile, data: bytes, format_: Format) -> ParsedFile | SourceProblem:
    """A title that the source states comes before one in the text."""
    try:
        parsed = format_.read(file.path, data)
        if isinstance(parsed, ParsedFile) and parsed.access is None:
            parsed = _add_access(file.path, data, format_, parsed)
    except RecursionError:
        return SourceProblem(file.path, "nested too deeply to be read")
    except ModuleNotFoundError:
        if not format_.extra:
            raise
        return SourceProblem(file.path, _install_hint(format_))
    if isinstance(parsed, SourceProblem) or not file.title:
        return parsed
    return replace(parsed, title=clean_title(file.title), titled=True)


def _add_access(path: str, data: bytes, format_: Format, parsed: ParsedFile) -> ParsedFile:
    """Any text may begin with front matter that states who may read it."""
    if format_.name in _OWN_FRONT_MATTER or not _MAYBE_FRONT_MATTER.match(data):
        return parsed
    text = decode(path, data, declared_charset(data))
    front = read_front_matter(text) if isinstance(text, str) else FrontMatter()
    if front.access is None or (format_.name in _DASH_COMMENTS and not front.end):
        return parsed
    return replace(parsed, access=front.access, remarks=(*parsed.remarks, *front.remarks))


def _install_hint(format_: Format) -> str:
    return f"needs `pip install docgraph[{format_.extra}]`"


def missing_extras() -> tuple[str, ...]:
    """Extras that are not installed: each of their readers is given an empty file to read."""
    optional = [one for one in FORMATS if one.extra]
    return tuple(sorted({one.extra for one in optional if _is_not_installed(one)}))


def _is_not_installed(format_: Format) -> bool:
    result = read_file(SourceFile(f"empty{format_.suffixes[0]}", 0), b"", format_)
    return isinstance(result, SourceProblem) and result.reason == _install_hint(format_)
