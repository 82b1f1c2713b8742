"""What PDFium finds in a PDF: the text of its pages, its outline, its title."""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from statistics import median_low
from typing import Any

from docgraph.ports.source import SourceProblem

_PDFIUM = threading.Lock()  # PDFium knows no threads
_EVERYWHERE = (-1e7, -1e7, 1e7, 1e7)  # also what hangs over the paper's edge
_NEEDS_PASSWORD = 4
_READ_FOR_TITLE = 3_000
_TITLE_LINES = 3
_BIG = 1.15  # times the size of most letters
# PDFium marks where it took a hyphen off; other hyphens stand before a line's end.
_HYPHEN = re.compile(r"[\x02\ufffe\u00ad]\n?|(?<=[a-z\u00df-\u00ff])-\n(?=[a-z\u00df-\u00ff])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ufeff]")
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_LINE_ENDS = re.compile(r"[ \t]+$", re.MULTILINE)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline; pages count from 0."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Pages:
    """`title` is the metadata's, `big_line` what is set largest on the first page with text."""

    texts: tuple[str, ...]
    outline: tuple[Bookmark, ...]
    title: str
    big_line: str


def pages_of(path: str, data: bytes) -> Pages | SourceProblem:
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
            return _read(document, pypdfium2.PdfiumError)
        finally:
            document.close()


def _read(document: Any, failure: type[Exception]) -> Pages:
    texts: list[str] = []
    big_line = ""
    for index in range(len(document)):
        try:
            page = document[index]
            letters = page.get_textpage()
        except failure:
            texts.append("")
            continue
        texts.append(cleaned(letters.get_text_bounded(*_EVERYWHERE)))
        if texts[-1] and not any(texts[:-1]):
            big_line = _big_line(list(_sized_lines(letters)))
        letters.close()
        page.close()
    title = _decoded(lambda: document.get_metadata_value("Title"))
    return Pages(tuple(texts), tuple(_outline(document)), title, big_line)


def cleaned(raw: str) -> str:
    """Words that a line's end broke are whole again; what nobody sees is gone."""
    joined = _HYPHEN.sub("", raw.replace("\r\n", "\n").replace("\r", "\n"))
    seen = _UNSEEN.sub("", joined).translate(_LIGATURES)
    return _LINE_ENDS.sub("", seen).strip()


def _decoded(said: Callable[[], str]) -> str:
    """Nothing, where what a file says of itself is no text."""
    try:
        return cleaned(said())
    except UnicodeDecodeError:
        return ""


def _outline(document: Any) -> Iterator[Bookmark]:
    """Only what leads to a page of the document."""
    for mark in document.get_toc():
        place = mark.get_dest()
        page = place.get_index() if place else None
        title = " ".join(_decoded(mark.get_title).split())
        if page is not None and title:
            yield Bookmark(mark.level, title, page)


def _sized_lines(letters: Any) -> Iterator[tuple[float, str]]:
    """Each line with the height of its tallest letter."""
    tallest, line = 0.0, ""
    for index in range(min(letters.count_chars(), _READ_FOR_TITLE)):
        said = letters.get_text_range(index, 1)
        if said in {"\r", "\n"}:
            if _LETTER.search(line):
                yield tallest, cleaned(line)
            tallest, line = 0.0, ""
            continue
        line += said
        if _LETTER.match(said):
            _, bottom, _, top = letters.get_charbox(index, loose=True)
            tallest = max(tallest, round(top - bottom, 1))
    if _LETTER.search(line):
        yield tallest, cleaned(line)


def _big_line(lines: list[tuple[float, str]]) -> str:
    """The largest line, and those of its size that go on with it; nothing where all are alike."""
    if not lines:
        return ""
    largest = max(size for size, _ in lines)
    usual = median_low(size for size, line in lines for _ in line)
    if len(lines) > 1 and largest < _BIG * usual:
        return ""
    first = next(index for index, (size, _) in enumerate(lines) if size == largest)
    same = takewhile(lambda found: found[0] == largest, lines[first : first + _TITLE_LINES])
    return " ".join(line for _, line in same)
