"""Word documents: made into HTML by mammoth, then read as a page."""

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

LARGEST = 200_000_000  # bytes, unpacked
LARGEST_XML = 30_000_000  # mammoth takes up to eighty times as much memory
_PACKED_TOO_WELL = 300  # text gives 5 to 30
_SUSPICIOUS = 10_000_000  # a small file may be packed as well as it likes
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
# What a zip, an XML parser and mammoth raise on files that are not what they should be.
_DAMAGE = (
    *(ArithmeticError, AttributeError, BadZipFile, EOFError, ExpatError, LookupError),
    *(OSError, RuntimeError, TypeError, ValueError, zlib.error),
)


def read_docx(path: str, data: bytes) -> ParsedFile | SourceProblem:
    """Lines are those of the text: a reader of the document sees none."""
    import mammoth  # type: ignore[import-untyped]

    if data.startswith(_OLD_FORMAT):
        return SourceProblem(path, "encrypted, or an old .doc; save it as .docx without a password")
    try:
        too_large = _too_large(data)
        if too_large:
            return SourceProblem(path, too_large)
        page = _as_html(mammoth, data)
    except RecursionError:
        raise
    except _DAMAGE as error:
        why = " ".join(str(error).split()) or type(error).__name__
        return SourceProblem(path, f"damaged, or no .docx: {why[:200]}")
    return _with_own_lines(parse_html(path, page))


def _as_html(mammoth: Any, data: bytes) -> str:
    """Images are left out; the title of the file's properties stands in the head."""
    made = mammoth.convert_to_html(
        io.BytesIO(data),
        style_map=_STYLES,
        include_embedded_style_map=False,
        convert_image=lambda _: [],
    )
    with ZipFile(io.BytesIO(data)) as parts:
        known = "docProps/core.xml" in parts.namelist()
        said = _TITLE.search(parts.read("docProps/core.xml").decode("utf-8")) if known else None
    return f"<title>{said[1] if said else ''}</title>{made.value}"


def _too_large(data: bytes) -> str:
    """The sizes that a zip declares bind: no more of a part is ever unpacked."""
    with ZipFile(io.BytesIO(data)) as parts:
        size = sum(part.file_size for part in parts.infolist())
        xml = sum(part.file_size for part in parts.infolist() if _is_xml(part.filename))
    if size > LARGEST:
        return f"unpacked it takes {size:,} bytes, over the limit of {LARGEST:,}"
    if xml > LARGEST_XML:
        return f"its text takes {xml:,} bytes of XML, over the limit of {LARGEST_XML:,}"
    if size > _SUSPICIOUS and size > _PACKED_TOO_WELL * len(data):
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
