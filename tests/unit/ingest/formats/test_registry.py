"""Every file has at most one format, and no text makes a reader fail."""

import io
import json
import sys
import zipfile
from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.formats.registry import (
    FORMATS,
    SHIPPED_FORMATS,
    TEXT,
    Format,
    missing_extras,
    read_file,
)
from docgraph.ingest.parsed_file import AccessMapping, HeaderField, Link, ParsedFile
from docgraph.ingest.source_text import Positions
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceFile, SourceProblem

PIECES = [
    *("# a", "## b\n", "---", "===", "```", "[x](y)", "> ", "- ", "\n\n", "    ", "\t", "::", "`"),
    *("title: x\n", ".. _a: b\n", ":doc:`c`", "a_", "`d <e>`_", "PEP: 1\n", ".. toctree::\n\n"),
    *("def f(", "):\n", "class A:\n", "@d\n", '"""', "import a.b", "from . import (", "é", "😀"),
    *(
        "<h2 id=a>",
        "</h2>",
        "<p>",
        "<a href='b'>",
        "<pre>",
        "<!--",
        "<meta name=a content=b>",
        "&#",
    ),
    *('{"cells":[', '{"cell_type":"markdown","source":"# a [x](y)"}', "]}", ",", "%PDF-1.4", "PK"),
    *("\x00", "\x0c", "\u2028", "\x1b", "\r", " ", "\\", "<", "|", "{", "'", "async ", "lambda: "),
]
TEXTS = [known for known in FORMATS if known.name not in {"docx", "pdf"}]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.md", "markdown"),
        ("A.MD", "markdown"),
        ("a.rst", "rst"),
        ("a.txt", "text"),
        ("docs/README", "text"),
        ("a/b.py", "python"),
        ("a.html", "html"),
        ("a.HTM", "html"),
        ("a.xhtml", "html"),
        ("a.pdf", "pdf"),
        ("a.docx", "docx"),
        ("a.ipynb", "notebook"),
        ("a.png", None),
        ("Makefile", None),
    ],
)
def test_the_suffix_decides_the_format(path: str, name: str | None) -> None:
    found = SHIPPED_FORMATS.find(SourceFile(path, 1))
    assert (found.name if found else None) == name


def test_a_source_may_state_the_format() -> None:
    found = SHIPPED_FORMATS.find(SourceFile("pep-0484", 1, format="rst"))
    assert found is not None
    assert found.name == "rst"


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"'word'; known: .*docx, html, java, javascript, markdown"):
        SHIPPED_FORMATS.find(SourceFile("a", 1, format="word"))


def test_a_given_title_comes_before_the_texts_own() -> None:
    file = SourceFile("a.md", 1, title="Given\n title")
    known = SHIPPED_FORMATS.find(file)
    assert known is not None
    found = read_file(file, b"# Own", known)
    assert isinstance(found, ParsedFile)
    assert (found.title, found.titled) == ("Given title", True)


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \n\n"])
@pytest.mark.parametrize("known", TEXTS, ids=lambda known: known.name)
def test_an_empty_file_of_text_is_a_document(known: Format, data: bytes) -> None:
    found = read_file(SourceFile(f"pkg/__init__{known.suffixes[0]}", 0), data, known)
    assert isinstance(found, ParsedFile)
    assert found.parts == ()
    assert found.title


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@given(pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40))
def test_no_text_makes_a_reader_fail_or_refer_outside(known: Format, pieces: list[str]) -> None:
    data = "".join(pieces).encode("utf-8", "replace")
    found = read_file(SourceFile(f"a{known.suffixes[0]}", len(data)), data, known)
    if isinstance(found, SourceProblem):
        assert b"\0" in data or known.name in {"docx", "notebook", "pdf"}
        return
    spans: list[Link | HeaderField] = [*found.links, *found.fields]
    placed = [p for p in spans if known.name != "html" or p.end]  # a page's head is no text
    positions = Positions(found)
    assert all(0 <= p.start < p.end <= len(found.text) for p in placed)
    assert all(positions.at(p.start) == p.line for p in placed)
    assert_nested(found)


def assert_nested(found: ParsedFile) -> None:
    """Parts are in order, inside their parents, and beside their neighbours."""
    assert len({part.name for part in found.parts}) == len(found.parts)
    for index, part in enumerate(found.parts):
        assert 0 <= part.start <= part.end <= len(found.text), astuple(part)
        if part.parent is not None:
            parent = found.parts[part.parent]
            assert part.parent < index
            assert parent.start <= part.start
            assert part.end <= parent.end
        if index:
            assert found.parts[index - 1].start <= part.start


def parsed_from(path: str, text: str) -> ParsedFile:
    file = SourceFile(path, 1)
    known = SHIPPED_FORMATS.find(file)
    assert known is not None
    found = read_file(file, text.encode(), known)
    assert isinstance(found, ParsedFile)
    return found


FRONTED = [known for known in TEXTS if known.name != "notebook"]
FEW = frozenset({"finance"})


@pytest.mark.requirement(35)
@pytest.mark.parametrize("known", FRONTED, ids=lambda known: known.name)
def test_front_matter_states_who_may_read_in_every_format(known: Format) -> None:
    text = "---\ntitle: Pay\naccess: finance\n---\n"
    for above in ("", "\ufeff"):
        assert parsed_from(f"a{known.suffixes[0]}", above + text).access == AccessMapping(3, FEW)


@pytest.mark.requirement(35)
@pytest.mark.parametrize("path", ["a.txt", "a.rst", "a.html", "a.js", "README"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\naccess: {readers: finance, level: x}\n---\n", 2),
        ("---\naccess: Everyone\n---\n", 2),
        ("\n \n---\naccess: finance\n---\n", 4),
        ("\u3000\n---\naccess: finance\n---\n", 3),
        ("<!-- licence -->\n---\naccess: finance\n---\n", 3),
        ("\u2014\naccess: finance\n\u2014\n", 2),
        ("+++\naccess = 'finance'\n+++\n", 2),
    ],
)
def test_unreadable_access_in_front_matter_denies_in_every_format(
    path: str, text: str, line: int
) -> None:
    found = parsed_from(path, text)
    assert found.access is not None
    assert (found.access.line, found.access.readers) == (line, frozenset())
    assert found.remarks[-1] == f"line {line}: access: {found.access.error}; nobody may read it"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.txt", "- one\n- access: two\n"),
        ("a.rst", "-----\nTitle\n-----\n\naccess: it is open\n"),
        ("a.html", "<!-- a --><p>access: b</p>"),
        ("a.txt", "---\ntitle: [\n---\n"),
        ("a.sql", "----------\n-- Access: by the clerk\n----------\nSELECT 1;\n"),
    ],
)
def test_what_is_no_front_matter_has_no_access(path: str, text: str) -> None:
    found = parsed_from(path, text)
    assert (found.access, found.remarks) == (None, ())


def test_a_page_that_declares_its_charset_has_front_matter_too() -> None:
    data = "---\naccess: Gehälter\n---\n<meta charset=iso-8859-1>".encode("iso-8859-1")
    known = SHIPPED_FORMATS.find(SourceFile("a.html", 1))
    assert known is not None
    found = read_file(SourceFile("a.html", 1), data, known)
    assert isinstance(found, ParsedFile)
    assert found.access == AccessMapping(2, frozenset({"Gehälter"}))


@pytest.mark.parametrize(("suffix", "library"), [(".pdf", "pypdfium2"), (".docx", "mammoth")])
def test_a_missing_library_is_named_with_the_extra_to_install(
    suffix: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    file = SourceFile(f"a{suffix}", 1)
    known = SHIPPED_FORMATS.find(file)
    assert known is not None
    needs = "needs `pip install docgraph[formats]`"
    assert read_file(file, b"x", known) == SourceProblem(file.path, needs)


def test_a_fault_of_our_own_is_not_taken_for_a_missing_library() -> None:
    def broken(path: str, data: bytes) -> ParsedFile:
        raise ModuleNotFoundError("docgraph.gone")

    with pytest.raises(ModuleNotFoundError):
        read_file(SourceFile("a", 1), b"", replace(TEXT, read=broken))


def test_deep_nesting_is_read_or_named() -> None:
    for one, text in (
        ("html", "<div><ul><li>" * 20_000 + "x"),
        ("notebook", "[" * 100_000),
        ("notebook", json.dumps({"cells": [{"cell_type": "markdown", "source": "> " * 5_000}]})),
        ("markdown", "> " * 5_000 + "x"),
        ("python", "".join(f"{' ' * n}def f{n}():\n" for n in range(300)) + " " * 300 + "pass"),
        ("python", "(" * 20_000),
        ("rst", "`" * 20_000),
    ):
        file = SourceFile("a", 1, format=one)
        known = SHIPPED_FORMATS.find(file)
        assert known is not None
        assert isinstance(read_file(file, text.encode(), known), ParsedFile | SourceProblem)


def test_a_word_document_nested_too_deeply_is_named() -> None:
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    inner = "<w:sdt><w:sdtContent>" * 5_000 + "</w:sdtContent></w:sdt>" * 5_000
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as parts:
        body = f"<w:body>{inner}</w:body>"
        parts.writestr(
            "word/document.xml", f'<w:document xmlns:w="{namespace}">{body}</w:document>'
        )
    file = SourceFile("a.docx", 1)
    known = SHIPPED_FORMATS.find(file)
    assert known is not None
    assert read_file(file, made.getvalue(), known) == SourceProblem(
        "a.docx", "nested too deeply to be read"
    )


def test_extras_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_extras() == ()
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    assert missing_extras() == ("formats",)


RST = """
====
Meta
====

.. versionadded:: 1.2

Words.

Options
=======

More.
"""


@pytest.mark.parametrize(
    "mark", [".. versionadded:: 1.2", ".. _meta:", "See :ref:`meta`.", "``x``"]
)
def test_a_text_with_a_heading_and_rst_markup_is_rst(mark: str) -> None:
    data = RST.replace(".. versionadded:: 1.2", mark).encode()
    found = read_file(SourceFile("docs/meta.txt", len(data)), data, TEXT)
    assert isinstance(found, ParsedFile)
    assert (found.title, [part.title for part in found.parts]) == ("Meta", ["Options"])


@pytest.mark.parametrize(
    "text",
    [
        RST.replace(".. versionadded:: 1.2", ""),  # no mark
        RST.replace("=", ""),  # no heading
        "Title\n\nSee :ref:`meta`.",
    ],
)
def test_a_text_without_both_is_plain(text: str) -> None:
    found = read_file(SourceFile("docs/meta.txt", len(text)), text.encode(), TEXT)
    assert isinstance(found, ParsedFile)
    assert found.parts == ()
