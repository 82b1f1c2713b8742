"""PDF: pages, their text, and the outline's sections."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from docgraph.ingest.build_document import build_document
from docgraph.ingest.chunking import split_chunks
from docgraph.ingest.formats.pdf import read_pdf
from docgraph.ingest.formats.pdf_pages import clean_text
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.source import SourceProblem
from tests.growth.hostile_containers import one_page_many_times, one_picture_many_times
from tests.support.small_world import statements_of

Line = tuple[int, str]  # size and words
Mark = tuple[str, int]  # title and page
PAPER = "/MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >>"


def pdf(
    pages: Sequence[Sequence[Line]],
    outline: Sequence[Mark] = (),
    info: str = "",
    trailer: str = "",
) -> bytes:
    """A small PDF: objects 1 to 4 are catalog, pages, font and info, then come the others."""
    kids = [f"{5 + 2 * index} 0 R" for index in range(len(pages))]
    first = 5 + 2 * len(pages)
    outlines = f"/Outlines {first} 0 R" if outline else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {outlines} >>",
        f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< {info} >>",
    ]
    for index, lines in enumerate(pages):
        drawn = " ".join(
            f"BT /F {size} Tf 50 {780 - 30 * row} Td ({words}) Tj ET"
            for row, (size, words) in enumerate(lines)
        )
        objects += [
            f"<< /Type /Page /Parent 2 0 R {PAPER} /Contents {6 + 2 * index} 0 R >>",
            f"<< /Length {len(drawn)} >> stream\n{drawn}\nendstream",
        ]
    if outline:
        objects.append(f"<< /First {first + 1} 0 R /Last {first + len(outline)} 0 R >>")
    for index, (title, page) in enumerate(outline):
        following = f"/Next {first + index + 2} 0 R" if index + 1 < len(outline) else ""
        objects.append(
            f"<< /Title ({title}) /Parent {first} 0 R /Dest [{kids[page]} /Fit] {following} >>"
        )
    return _written(objects, trailer)


def _written(objects: Sequence[str], trailer: str) -> bytes:
    body, places = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer << /Size {size} /Root 1 0 R /Info 4 0 R {trailer} >>\nstartxref\n{len(body)}"
    whole = f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{end}\n%%EOF"
    return whole.encode("latin-1")


def read(data: bytes) -> ParsedFile:
    found = read_pdf("a.pdf", data)
    assert isinstance(found, ParsedFile)
    return found


def test_pages_follow_each_other_and_an_empty_one_has_no_text() -> None:
    found = read(pdf([[(10, "one")], [], [(10, "three"), (10, "lines")]]))
    assert found.text == "one\n\nthree\nlines"
    assert found.pages == (0, 5, 5)
    assert found.borders == (5,)


@pytest.mark.requirement(6)
def test_a_chunk_is_cited_by_its_page_and_crosses_none() -> None:
    third = [(10, "Three"), (10, "third page")]
    found = read(pdf([[(10, "one"), (10, "more")], [], third, [(10, "four")]], [("Three", 2)]))
    made = split_chunks("a.pdf", found, "r:a", ["r:a#three"])
    assert [(chunk.text, chunk.location.cite()) for chunk in made] == [
        ("one\nmore", "a.pdf p. 1"),
        ("Three\nthird page", "a.pdf p. 3"),
        ("four", "a.pdf p. 4"),
    ]
    document = build_document("r", "a.pdf", found, statements_of(LOCAL_ONLY), "m").document
    assert [node.source.page for node in document.nodes] == [1, 3]


def test_the_outline_gives_sections_where_their_titles_are() -> None:
    pages = [
        [(10, "Preface words"), (10, "1 Start"), (10, "It begins."), (10, "Second Part")],
        [(10, "2.1 Deeper"), (10, "Words.")],
    ]
    marks = [("Start", 0), ("Second  part", 0), ("Not on the page", 1), ("Deeper", 1), ("Back", 0)]
    found = read(pdf(pages, marks))
    assert [(p.name, found.text[p.start : p.end].strip(), p.lead) for p in found.parts] == [
        ("start", "1 Start\nIt begins.", "It begins."),
        ("second-part", "Second Part", ""),
        ("not-on-the-page", "", ""),
        ("deeper", "2.1 Deeper\nWords.", "Words."),
    ]


@pytest.mark.parametrize(
    ("info", "lines", "title", "titled"),
    [
        ("/Title (Stated title)", [(20, "Big"), (10, "small words")], "Stated title", True),
        (
            "/Title (Microsoft Word - x.doc)",
            [(10, "smaller words"), (20, "Big"), (20, "line")],
            "Big line",
            True,
        ),
        ("/Title (report.tex)", [(10, "some"), (10, "more"), (10, "words")], "a.pdf", False),
        (
            "",
            [(10, "some words"), (18, "Largest"), (10, "more words"), (18, "Other")],
            "Largest",
            True,
        ),
        ("/Title <FEFFD800>", [(20, "Big"), (10, "some words")], "Big", True),
    ],
)
def test_the_title_is_the_metadatas_else_the_largest_line(
    info: str, lines: list[Line], title: str, titled: bool
) -> None:
    found = read(pdf([[], lines], info=info))
    assert (found.title, found.titled) == (title, titled)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("manip\x02ulate iden\ufffetify", "manipulate identify"),
        ("hyphen-\r\nated", "hyphenated"),
        ("soft\u00ad\r\nhyphen in\u00adside", "softhyphen inside"),
        ("Mid-\r\nWest, 1990-\r\n2000", "Mid-\nWest, 1990-\n2000"),
        ("a\0b\x01 \r\n\ufb01ne \t\r\n", "ab\nfine"),
    ],
)
def test_broken_words_are_whole_again(raw: str, text: str) -> None:
    assert clean_text(raw) == text


ENCRYPTED = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >> /ID [<00><00>]"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "damaged, or no PDF: it cannot be opened"),
        (b"%PDF-1.4 nothing", "damaged, or no PDF: it cannot be opened"),
        (pdf([[(10, "x")]])[:120], "damaged, or no PDF: it cannot be opened"),
        (pdf([]), "damaged, or no PDF: it cannot be opened"),
        (pdf([[], []]), "no text in it, as in a scan; run OCR over it first"),
        (
            pdf([[(10, "x")]], trailer=ENCRYPTED.format("00" * 32)),
            "encrypted: it opens with a password only",
        ),
    ],
)
def test_what_cannot_be_read_is_a_problem_with_its_reason(data: bytes, reason: str) -> None:
    assert read_pdf("a.pdf", data) == SourceProblem("a.pdf", reason)


def test_pages_without_text_are_remarked_where_they_are_many() -> None:
    assert read(pdf([[(10, "x")], []])).remarks == ()
    assert read(pdf([[(10, "x")], [], []])).remarks == ("2 of 3 pages have no text, as in a scan",)


def test_threads_wait_for_each_other() -> None:
    files = [pdf([[(10, f"file {n} page {p}")] for p in range(5)]) for n in range(8)]
    alone = [read(data) for data in files]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, files * 5)) == alone * 5


@pytest.mark.requirement(74)
@pytest.mark.parametrize("make", [one_page_many_times, one_picture_many_times])
def test_a_page_that_is_listed_many_times_is_a_problem(make: Callable[[int], bytes]) -> None:
    found = read_pdf("a.pdf", make(10_000))
    why = "its pages show more letters and drawings than 20 for each byte of the file"
    assert found == SourceProblem("a.pdf", why)


def test_titles_beyond_a_hundred_of_one_page_are_not_searched() -> None:
    lines = [(9, f"Part {number:03}") for number in range(105)]
    marks = [(words, 0) for _, words in lines]
    parts = read(pdf([lines], marks)).parts
    assert [part.title for part in parts] == [words for _, words in lines]
    starts = [part.start for part in parts]
    assert len(set(starts[:100])) == 100
    assert len(set(starts[100:])) == 1
