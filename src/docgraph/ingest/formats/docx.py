"""Word documents: converted to HTML by mammoth, then read as a page."""

import io
import re
import zlib
from dataclasses import replace
from typing import Any
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

from docgraph.ingest.formats.html import parse_html
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import Lines
from docgraph.ports.source import SourceProblem

MAX_UNPACKED_BYTES = 200_000_000
MAX_XML_BYTES = 30_000_000  # mammoth takes up to eighty times as much memory
_MAX_COMPRESSION_RATIO = 300  # text gives 5 to 30
_MIN_BOMB_BYTES = 10_000_000  # a small file may have any ratio
_OLD_FORMAT = b"\xd0\xcf\x11\xe0"
_TITLE = re.compile(r"<dc:title>([^<]+)</dc:title>")
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='heading 7'] => h6:fresh
p[style-name='heading 8'] => h6:fresh
p[style-name='heading 9'] => h6:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Preformatted Text'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
"""
# What zipfile, the XML parser and mammoth raise on damaged files.
_DAMAGE = (
    *(ArithmeticError, AttributeError, BadZipFile, EOFError, ExpatError, LookupError),
    *(OSError, RuntimeError, TypeError, ValueError, zlib.error),
)


def read_docx(path: str, data: bytes) -> ParsedFile | SourceProblem:
    """Lines are those of the text: a Word document has none of its own."""
    import mammoth  # type: ignore[import-untyped]

    if data.startswith(_OLD_FORMAT):
        return SourceProblem(path, "encrypted, or an old .doc; save it as .docx without a password")
    try:
        too_large = _find_size_problem(data)
        if too_large:
            return SourceProblem(path, too_large)
        page = _convert_to_html(mammoth, data)
    except RecursionError:
        raise
    except _DAMAGE as error:
        why = " ".join(str(error).split()) or type(error).__name__
        return SourceProblem(path, f"damaged, or no .docx: {why[:200]}")
    return _with_own_lines(parse_html(path, page))


def _convert_to_html(mammoth: Any, data: bytes) -> str:
    """Images are left out; the title of the file's properties becomes the head's."""
    made = mammoth.convert_to_html(
        io.BytesIO(data),
        style_map=_STYLES,
        include_embedded_style_map=False,
        convert_image=lambda _: [],
    )
    with ZipFile(io.BytesIO(data)) as parts:
        has_title = "docProps/core.xml" in parts.namelist()
        core = parts.read("docProps/core.xml").decode("utf-8") if has_title else ""
    title = _TITLE.search(core)
    return f"<title>{title[1] if title else ''}</title>{made.value}"


def _find_size_problem(data: bytes) -> str:
    """By the sizes that the zip declares: no more of a part is ever unpacked."""
    with ZipFile(io.BytesIO(data)) as parts:
        size = sum(part.file_size for part in parts.infolist())
        xml = sum(part.file_size for part in parts.infolist() if _is_xml(part.filename))
    if size > MAX_UNPACKED_BYTES:
        return f"unpacked it takes {size:,} bytes, over the limit of {MAX_UNPACKED_BYTES:,}"
    if xml > MAX_XML_BYTES:
        return f"its text takes {xml:,} bytes of XML, over the limit of {MAX_XML_BYTES:,}"
    if size > _MIN_BOMB_BYTES and size > _MAX_COMPRESSION_RATIO * len(data):
        return f"{len(data):,} bytes unpack to {size:,}: a zip bomb"
    return ""


def _is_xml(name: str) -> bool:
    return name.endswith((".xml", ".rels"))


def _with_own_lines(parsed: ParsedFile) -> ParsedFile:
    lines = Lines(parsed.text)
    return replace(
        parsed,
        source_lines=(),
        links=tuple(replace(r, line=lines.at(r.start)) for r in parsed.links),
        fields=tuple(replace(f, line=lines.at(f.start)) for f in parsed.fields),
    )
