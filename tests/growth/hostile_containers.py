"""Hostile files of the formats that are no text: PDF, Word, notebooks."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence

Make = Callable[[int], bytes]
_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_PAGE = "/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> >>"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def pdf(pages: Sequence[str], others: Sequence[str], catalog: str = "") -> bytes:
    """Objects 1 to 3 are catalog, pages and font; the others are numbered from 4."""
    kids = f"<< /Type /Pages /Kids [{' '.join(pages)}] /Count {len(pages)} >>"
    objects = [f"<< /Type /Catalog /Pages 2 0 R {catalog} >>", kids, _FONT, *others]
    body, places = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def stream(content: str) -> str:
    return f"<< /Length {len(content)} >> stream\n{content}\nendstream"


def page_with(content: str) -> tuple[str, str]:
    return f"<< {_PAGE} /Contents 5 0 R >>", stream(content)


def one_page_many_times(size: int) -> bytes:
    words = f"BT /F 9 Tf 50 700 Td {'(Some words) Tj ' * (size // 32)} ET"
    return pdf(["4 0 R"] * (size // 12), page_with(words))


def one_picture_many_times(size: int) -> bytes:
    return pdf(["4 0 R"] * (size // 12), page_with("0 0 m 9 9 l S " * (size // 28)))


def empty_pages(size: int) -> bytes:
    return pdf(["4 0 R"] * (size // 6), page_with(""))


def long_page(size: int) -> bytes:
    return pdf(
        ["4 0 R"], page_with(f"BT /F 9 Tf 9 700 Td {'(a b.) Tj 0 -9 Td ' * (size // 18)} ET")
    )


def bookmarks(title: str) -> Make:
    """Many of one page that has a text as long as all of them."""

    def make(size: int) -> bytes:
        many = size // 100 + 1
        marks = [
            f"<< /Title ({title} {number}) /Dest [4 0 R /Fit] /Next {8 + number} 0 R >>"
            for number in range(many)
        ]
        outline = f"<< /First 7 0 R /Last {6 + many} 0 R >>"
        words = f"BT /F 9 Tf 9 700 Td {f'({title}) Tj 0 -9 Td ' * (size // 40)} ET"
        return pdf(["4 0 R"], [*page_with(words), outline, *marks], "/Outlines 6 0 R")

    return make


def nested_bookmarks(size: int) -> bytes:
    many = size // 80 + 1
    marks = [
        f"<< /Title (a) /Dest [4 0 R /Fit] /First {8 + number} 0 R >>" for number in range(many)
    ]
    return pdf(
        ["4 0 R"], [*page_with("BT (a) Tj ET"), "<< /First 7 0 R >>", *marks], "/Outlines 6 0 R"
    )


def docx(body: str, others: Mapping[str, str] | None = None) -> bytes:
    made = io.BytesIO()
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="a" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
        **(others or {}),
    }
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return made.getvalue()


def word_of(begin: str, unit: str, end: str = "") -> Make:
    return lambda size: docx(begin + unit * (size // len(unit)) + end)


def many_entries(size: int) -> bytes:
    return docx("<w:p/>", {f"word/a{number}.xml": "<a/>" for number in range(size // 100)})


def core(unit: str) -> Make:
    return lambda size: docx("<w:p/>", {"docProps/core.xml": unit * (size // len(unit))})


def notebook(cell: Callable[[int], object]) -> Make:
    """Cells as long as the notebook, many short ones, or what the function makes of a size."""

    def make(size: int) -> bytes:
        cells = cell(size)
        return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}).encode()

    return make


def code_cell(source: object, outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": outputs}


def text_cell(source: str) -> dict[str, object]:
    return {"cell_type": "markdown", "source": source}


def output(text: object) -> dict[str, object]:
    return {"output_type": "stream", "text": text}


RUN = "<w:r><w:t>a b.</w:t></w:r>"
CONTAINERS: Mapping[str, tuple[Make, ...]] = {
    "pdf": (
        one_page_many_times,
        one_picture_many_times,
        empty_pages,
        long_page,
        bookmarks("Some words"),
        bookmarks("zz"),
        bookmarks("1.1.1"),
        nested_bookmarks,
        lambda size: b"%PDF-1.4\n" + b"1 0 obj\n<<" * (size // 10),
        lambda size: b"%PDF-1.4\n" + b"[" * size,
    ),
    "docx": (
        word_of("", f"<w:p>{RUN}</w:p>"),
        word_of("<w:p>", RUN, "</w:p>"),
        word_of("", "<w:p/>"),
        word_of("", "<w:p><w:r>", ""),
        word_of("<w:tbl>", f"<w:tr><w:tc><w:p>{RUN}</w:p></w:tc></w:tr>", "</w:tbl>"),
        word_of("<w:tbl><w:tr>", f"<w:tc><w:p>{RUN}</w:p></w:tc>", "</w:tr></w:tbl>"),
        word_of("", f"<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr>{RUN}</w:p>"),
        word_of("", f"<w:p><w:bookmarkStart w:id='1' w:name='a'/>{RUN}</w:p>"),
        word_of("", f"<w:p><w:hyperlink w:anchor='a'>{RUN}</w:hyperlink></w:p>"),
        word_of("", f"<w:p><w:pPr><w:numPr><w:ilvl w:val='3'/></w:numPr></w:pPr>{RUN}</w:p>"),
        word_of("", "<w:sdt><w:sdtContent>"),
        word_of("<w:p><w:r>", "<w:fldChar w:fldCharType='begin'/>", "</w:r></w:p>"),
        word_of("<w:p><w:r>", "<w:tab/><w:br/>", "</w:r></w:p>"),
        core("<dc:title>"),
        core("<dc:title>a</dc:title>"),
        many_entries,
        lambda size: docx("<w:p/>")[:-22] + b"PK\x05\x06" * (size // 4),
    ),
    "notebook": (
        notebook(lambda size: [text_cell("a")] * (size // 50)),
        notebook(lambda size: [code_cell("a", [])] * (size // 70)),
        notebook(lambda size: [code_cell("`" * size, [])]),
        notebook(lambda size: [code_cell(["a\n"] * (size // 6), [])]),
        notebook(lambda size: [code_cell("a", [output("b\n")] * (size // 50))]),
        notebook(lambda size: [code_cell("a", [output("b\r" * size)])]),
        notebook(lambda size: [code_cell("a", [output(["b\r\n"] * (size // 8))])]),
        notebook(lambda size: [code_cell("a", [output("<a at 0x" * (size // 8))])]),
        notebook(lambda size: [code_cell("a", [output("\x1b[" * (size // 7))])]),
        notebook(lambda size: [text_cell("```\n")] * (size // 50)),
        notebook(lambda size: [text_cell("<!--")] * (size // 50)),
        notebook(lambda size: [text_cell("```\n" * (size // 5))]),
        notebook(lambda size: [text_cell("# a\n" * (size // 5))]),
        notebook(lambda size: [text_cell("a\n\n")] * (size // 50)),
        notebook(lambda size: [{"cell_type": "heading", "level": 2, "source": "a"}] * (size // 60)),
        notebook(lambda size: [{"cell_type": "raw", "source": "---\n"}] * (size // 40)),
        notebook(lambda size: [[[]]] * (size // 6)),
        lambda size: b'{"cells":' * (size // 9),
        lambda size: b"[" * size,
        lambda size: b'{"worksheets": [' + b'{"cells": []},' * (size // 14) + b"{}]}",
    ),
}  # fmt: skip
