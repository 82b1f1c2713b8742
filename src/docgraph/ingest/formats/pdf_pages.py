"""Reads a PDF with PDFium: the text of its pages, its outline, its title."""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from statistics import median_low
from typing import Any

from docgraph.ports.source import SourceProblem

_PDFIUM = threading.Lock()  # PDFium is not thread-safe
_EVERYWHERE = (-1e7, -1e7, 1e7, 1e7)  # also beyond the edge of the paper
_NEEDS_PASSWORD = 4
_MAX_TITLE_SEARCH_CHARACTERS = 3_000
_MAX_TITLE_LINES = 3
# A page that is listed many times is read as often: its letters and drawings are counted.
MAX_SHOWN_PER_BYTE = 20  # prose, compressed, has about 3
_MIN_TITLE_SIZE = 1.15  # times the size of most letters
# PDFium marks where it removed a hyphen; other hyphens are at the end of a line.
_HYPHEN = re.compile(r"[\x02\ufffe\u00ad]\n?|(?<=[a-z\u00df-\u00ff])-\n(?=[a-z\u00df-\u00ff])")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ufeff]")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_LINE_ENDS = re.compile(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline; pages count from 0."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Pages:
    """`title` is the metadata's, `big_line` the largest line of the first page with text."""

    texts: tuple[str, ...]
    outline: tuple[Bookmark, ...]
    title: str
    big_line: str


def read_pages(path: str, data: bytes) -> Pages | SourceProblem:
    import pypdfium2  # type: ignore[import-untyped]

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            encrypted = error.err_code == _NEEDS_PASSWORD
            why = "encrypted: it opens with a password only"
            return SourceProblem(
                path, why if encrypted else "damaged, or no PDF: it cannot be opened"
            )
        try:
            return _read(path, document, MAX_SHOWN_PER_BYTE * len(data))
        finally:
            document.close()


def _read(path: str, document: Any, most: int) -> Pages | SourceProblem:
    from pypdfium2 import PdfiumError
    from pypdfium2.raw import FPDFPage_CountObjects  # type: ignore[import-untyped]

    texts: list[str] = []
    big_line, shown, empty = "", 0, True
    for index in range(len(document)):
        try:
            page = document[index]
            letters = page.get_textpage()
        except PdfiumError:
            texts.append("")
            continue
        shown += letters.count_chars() + FPDFPage_CountObjects(page)
        if shown > most:
            limit = f"{MAX_SHOWN_PER_BYTE} for each byte of the file"
            return SourceProblem(path, f"its pages show more letters and drawings than {limit}")
        texts.append(clean_text(letters.get_text_bounded(*_EVERYWHERE)))
        if texts[-1] and empty:
            empty = False
            big_line = _find_big_line(list(_read_sized_lines(letters)))
        letters.close()
        page.close()
    title = _decode(lambda: document.get_metadata_value("Title"))
    return Pages(tuple(texts), tuple(_read_outline(document)), title, big_line)


def clean_text(raw: str) -> str:
    """Without hyphens at the ends of lines and invisible characters."""
    joined = _HYPHEN.sub("", raw.replace("\r\n", "\n").replace("\r", "\n"))
    visible = _INVISIBLE.sub("", joined).translate(_LIGATURES)
    return _LINE_ENDS.sub("", visible).strip()


def _decode(read_text: Callable[[], str]) -> str:
    """Empty where the metadata is no text."""
    try:
        return clean_text(read_text())
    except UnicodeDecodeError:
        return ""


def _read_outline(document: Any) -> Iterator[Bookmark]:
    """Only entries with a page of the document."""
    for mark in document.get_toc():
        destination = mark.get_dest()
        page = destination.get_index() if destination else None
        title = " ".join(_decode(mark.get_title).split())
        if page is not None and title:
            yield Bookmark(mark.level, title, page)


def _read_sized_lines(letters: Any) -> Iterator[tuple[float, str]]:
    """Each line with the height of its tallest letter."""
    tallest, line = 0.0, ""
    for index in range(min(letters.count_chars(), _MAX_TITLE_SEARCH_CHARACTERS)):
        character = letters.get_text_range(index, 1)
        if character in {"\r", "\n"}:
            if _LETTER.search(line):
                yield tallest, clean_text(line)
            tallest, line = 0.0, ""
            continue
        line += character
        if _LETTER.match(character):
            _, bottom, _, top = letters.get_charbox(index, loose=True)
            tallest = max(tallest, round(top - bottom, 1))
    if _LETTER.search(line):
        yield tallest, clean_text(line)


def _find_big_line(lines: list[tuple[float, str]]) -> str:
    """The largest line and those of its size that follow; empty where all have one size."""
    if not lines:
        return ""
    largest = max(size for size, _ in lines)
    usual = median_low(size for size, line in lines for _ in line)
    if len(lines) > 1 and largest < _MIN_TITLE_SIZE * usual:
        return ""
    first = next(index for index, (size, _) in enumerate(lines) if size == largest)
    same = takewhile(lambda line: line[0] == largest, lines[first : first + _MAX_TITLE_LINES])
    return " ".join(line for _, line in same)
