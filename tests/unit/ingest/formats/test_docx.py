"""Word documents: headings, lists and tables as text; nothing hostile gets in."""

import io
import zipfile
from collections.abc import Mapping

import pytest

from docgraph.ingest.formats import docx
from docgraph.ingest.formats.docx import read_docx
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ports.source import SourceProblem

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = {"T": "Title", "H1": "heading 1", "H2": "heading 2", "C": "HTML Preformatted"}


def relations(*relationships: str) -> str:
    inner = "".join(f"<Relationship {one}/>" for one in relationships)
    return f'<Relationships xmlns="{PACKAGE}">{inner}</Relationships>'


PARTS = {
    "_rels/.rels": relations(
        f'Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"',
    ),
    "word/_rels/document.xml.rels": relations(
        f'Id="link" Type="{OFFICE}/hyperlink" Target="other.docx#b" TargetMode="External"',
        f'Id="picture" Type="{OFFICE}/image" Target="media/a.png"',
    ),
    "word/styles.xml": f'<w:styles xmlns:w="{WORD}">'
    + "".join(
        f'<w:style w:type="paragraph" w:styleId="{id_}"><w:name w:val="{name}"/></w:style>'
        for id_, name in STYLES.items()
    )
    + "</w:styles>",
}


def paragraph(words: str, style: str = "") -> str:
    style_tag = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{style_tag}<w:r><w:t>{words}</w:t></w:r></w:p>"


def word(body: str, more: Mapping[str, str | bytes] | None = None) -> bytes:
    document = (
        f'<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}"><w:body>{body}</w:body></w:document>'
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, content in {**PARTS, "word/document.xml": document, **(more or {})}.items():
            parts.writestr(name, content)
    return made.getvalue()


def read(data: bytes) -> ParsedFile:
    found = read_docx("a.docx", data)
    assert isinstance(found, ParsedFile)
    return found


def test_headings_are_sections_and_the_title_is_none() -> None:
    body = paragraph("Plan", "T") + paragraph("Why &amp; how", "H1") + paragraph("Because.")
    found = read(
        word(body + paragraph("Deep", "H2") + paragraph("Inner.") + paragraph("End", "H1"))
    )
    assert (found.title, found.titled) == ("Plan", True)
    assert [(part.name, part.title, part.lead, part.parent) for part in found.parts] == [
        ("why--how", "Why & how", "Because.", None),
        ("deep", "Deep", "Inner.", 0),
        ("end", "End", "", None),
    ]


def test_code_keeps_its_lines_and_cells_are_on_one_line() -> None:
    cell = "<w:tc>{}</w:tc>"
    row = f"<w:tr>{cell.format(paragraph('a'))}{cell.format(paragraph('b'))}</w:tr>"
    found = read(word(paragraph("x = 1", "C") + paragraph("y = 2", "C") + f"<w:tbl>{row}</w:tbl>"))
    assert found.text == "x = 1\ny = 2\n\na | b"


def test_links_lead_on_and_lines_are_those_of_the_text() -> None:
    link = '<w:p><w:hyperlink r:id="link"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>'
    found = read(word(paragraph("One") + link))
    assert found.text == "One\n\nthere"
    assert [(r.style, r.target, r.line, r.start) for r in found.links] == [
        ("path", "other.docx#b", 3, 5),
    ]
    assert found.source_lines == ()


def test_images_stay_outside() -> None:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006"
    image = (
        f'<w:p><w:r><w:drawing><wp:inline xmlns:wp="{drawing}/wordprocessingDrawing">'
        f'<a:graphic xmlns:a="{drawing}/main"><a:graphicData><pic:pic '
        f'xmlns:pic="{drawing}/picture"><pic:blipFill><a:blip r:embed="picture"/></pic:blipFill>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )
    found = read(word(paragraph("Words.") + image, {"word/media/a.png": b"\x89PNG"}))
    assert found.text == "Words."


def test_the_title_of_the_properties_replaces_a_missing_one() -> None:
    core = "<cp:coreProperties><dc:title>R &amp; D</dc:title></cp:coreProperties>"
    found = read(word(paragraph("Words."), {"docProps/core.xml": core}))
    assert (found.title, found.titled) == ("R & D", True)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "damaged, or no .docx: File is not a zip file"),
        (b"words", "damaged, or no .docx: File is not a zip file"),
        (b"\xd0\xcf\x11\xe0", "encrypted, or an old .doc; save it as .docx without a password"),
        (word(paragraph("Words."))[:300], "damaged, or no .docx: File is not a zip file"),
        (word("<w:p>"), "damaged, or no .docx: mismatched tag: line 1"),
        (word("", {"word/document.xml": "<a/>"}), "damaged, or no .docx: Could not find the body"),
        (word("&a;", {}), "damaged, or no .docx: undefined entity"),
    ],
)
def test_what_is_no_word_document_is_a_problem(data: bytes, reason: str) -> None:
    found = read_docx("a.docx", data)
    assert isinstance(found, SourceProblem)
    assert found.reason.startswith(reason)


def test_a_zip_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = word(paragraph("Words."), {"word/media/a.bin": bytes(20_000_000)})
    found = read_docx("a.docx", bomb)
    assert isinstance(found, SourceProblem)
    assert found.reason.endswith("a zip bomb")
    monkeypatch.setattr(docx, "MAX_UNPACKED_BYTES", 19_000_000)
    assert "over the limit of 19,000,000" in str(read_docx("a.docx", bomb))
    monkeypatch.setattr(docx, "MAX_XML_BYTES", 1_000)
    assert "of XML, over the limit of 1,000" in str(read_docx("a.docx", word(paragraph("a" * 900))))


def test_entities_that_grow_without_end_are_refused() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    document = f'<!DOCTYPE d [<!ENTITY l0 "ha">{laughs}]><w:document xmlns:w="{WORD}"><w:body>'
    bomb = f"{document}{paragraph('&l9;')}</w:body></w:document>"
    assert isinstance(read_docx("a.docx", word("", {"word/document.xml": bomb})), SourceProblem)
