"""The formats, and which of them a file has. The next one is one module and one line here.

Each is an entry point of docgraph too: see `wiring.plugins`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from docgraph.ingest.formats.docx import read_docx
from docgraph.ingest.formats.front_matter import FrontMatter, read_front_matter
from docgraph.ingest.formats.html import declared_charset, read_html
from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.formats.notebook import parse_notebook
from docgraph.ingest.formats.pdf import read_pdf
from docgraph.ingest.formats.rst import is_rst, parse_rst
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
    """`read` parses (path, bytes); `extra` names the extra that it needs to be installed.

    A `version` other than 0 is part of a document's fingerprint: raise it when `read` changes.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    extra: str = ""
    version: int = 0


def text_reader(parse: Callable[[str, str], ParsedFile | SourceProblem]) -> Reader:
    """A reader of files that are UTF-8 text."""

    def read_text(path: str, data: bytes) -> ParsedFile | SourceProblem:
        text = decode(path, data)
        return text if isinstance(text, SourceProblem) else parse(path, text)

    return read_text


def parse_text_or_rst(path: str, text: str) -> ParsedFile:
    """Documentation is often reStructuredText in files called `.txt`."""
    return (parse_rst if is_rst(text) else parse_text)(path, text)


CSHARP = Format("csharp", (".cs",), text_reader(parse_csharp), extra="languages")
DOCX = Format("docx", (".docx",), read_docx, extra="formats")
HTML = Format("html", (".html", ".htm", ".xhtml"), read_html)
JAVA = Format("java", (".java",), text_reader(parse_java), extra="languages")
JAVASCRIPT = Format(
    "javascript", (".js", ".mjs", ".cjs", ".jsx"), text_reader(parse_javascript), extra="languages"
)
MARKDOWN = Format("markdown", (".md", ".markdown"), text_reader(parse_markdown))
NOTEBOOK = Format("notebook", (".ipynb",), text_reader(parse_notebook))
PDF = Format("pdf", (".pdf",), read_pdf, extra="formats")
PYTHON = Format("python", (".py",), text_reader(parse_python))
RST = Format("rst", (".rst", ".rest"), text_reader(parse_rst))
SQL = Format("sql", (".sql",), text_reader(parse_sql), extra="languages")
TEXT = Format("text", (".txt", ".text"), text_reader(parse_text_or_rst))
TSX = Format("tsx", (".tsx",), text_reader(parse_tsx), extra="languages")
TYPESCRIPT = Format(
    "typescript", (".ts", ".mts", ".cts"), text_reader(parse_typescript), extra="languages"
)
FORMATS = (
    *(CSHARP, DOCX, HTML, JAVA, JAVASCRIPT, MARKDOWN, NOTEBOOK, PDF, PYTHON, RST, SQL),
    *(TEXT, TSX, TYPESCRIPT),
)


@dataclass(frozen=True)
class FormatRegistry:
    """The shipped formats and those of plug-ins, which take no name or suffix of a shipped one."""

    installed: tuple[Format, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Format]:
        return {one.name: one for one in (*self.installed, *FORMATS)}

    @cached_property
    def by_suffix(self) -> dict[str, Format]:
        formats = (*reversed(self.installed), *FORMATS)  # what comes last counts
        return {suffix: one for one in formats for suffix in one.suffixes}

    def find(self, file: SourceFile) -> Format | None:
        """By what the source states, else by suffix; None for files that no format reads."""
        if file.format is not None:
            if file.format not in self.by_name:
                known = ", ".join(sorted(self.by_name))
                raise BadInput(f"{file.path}: no format is called {file.format!r}; known: {known}")
            return self.by_name[file.format]
        if PurePosixPath(file.path).name.casefold() in NAMES_WITHOUT_SUFFIX:
            return TEXT
        return self.by_suffix.get(suffix_of(file.path))


SHIPPED_FORMATS = FormatRegistry()
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


def suffix_of(path: str) -> str:
    return PurePosixPath(path).suffix.casefold()


def read_file(file: SourceFile, data: bytes, format_: Format) -> ParsedFile | SourceProblem:
    """A title that the source states comes before one in the text."""
    try:
        parsed = format_.read(file.path, data)
        if isinstance(parsed, ParsedFile) and parsed.access is None:
            parsed = _add_access(file.path, data, format_, parsed)
    except MemoryError:
        raise
    except RecursionError:
        return SourceProblem(file.path, "nested too deeply to be read")
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and format_.extra:
            return SourceProblem(file.path, _install_hint(format_))
        if format_.name in SHIPPED_FORMATS.by_name:
            raise
        reason = f"{type(error).__name__}: {error}"
        return SourceProblem(file.path, f"the plug-in format {format_.name!r} failed: {reason}")
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
