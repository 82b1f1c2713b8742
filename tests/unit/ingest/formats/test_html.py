"""HTML: what a reader would read, where it stands in the file, and what it leads to."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.chunking import split_chunks
from docgraph.ingest.formats.html import parse_html, read_html
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import Positions
from docgraph.ports.source import SourceProblem
from tests.unit.ingest.fakes import parsed

TAGS = [
    *("<p>", "</p>", "<div>", "</div>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>"),
    *("<pre>", "</pre>", "<h1>", "</h1>", "<h2 id=a>", "</h2>", "<a href=x>", "</a>", "<b>"),
    *("<main>", "</main>", "<nav>", "</nav>", "<br/>", "<dl><dt>", "<dd>", "<!-- c -->", "&amp;"),
    *("<", ">", '"', "<a title='", "<!--", "<![CDATA[", "<script>", "</script>", "<title>", "&#9"),
    *("\n", " ", "\t", "<article>", "</article>", "<span aria-hidden=true>", "</span>", "\u00ad"),
]


def page(body: str) -> ParsedFile:
    return parse_html("a.html", body)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>One\n  two</p><p>three", "One two\n\nthree"),
        ("a<b>b</b> <i> c</i>\n<u>d</u>", "ab c d"),
        ("<div>a</div>b<br>c<br><br>d", "a\n\nb\nc\n\nd"),
        ("<p>x</p><ul><li>a<li><p>b</p></li></ul>y", "x\n\n- a\n- b\n\ny"),
        ("<ol><li>a<ul><li>b</ul><li>c</ol>", "- a\n  - b\n- c"),
        ("<p>x<pre>\n  a\n\n\tb &lt; c\n</pre>y", "x\n\n  a\n\n\tb < c\n\ny"),
        ("<pre><b>a</b>  <i>b</i><br>c</pre>", "a  b\nc"),
        ("<table><tr><th>A<th>B<tr><td><p>1</p></td><td>2</table>", "A | B\n1 | 2"),
        ("<dl><dt>f(x)</dt><dd><p>Does.</p><p>More.</dl>", "f(x)\nDoes.\n\nMore."),
        ("a&nbsp;b &eacute;&#233;&#xe9; &lt;p&gt; &copy &bogus; &", "a b ééé <p> © &bogus; &"),
        ("hy&shy;phen zero&#8203;width", "hyphen zerowidth"),
        ("a<!-- <p>no</p> -->b<![CDATA[ c<d ]]><?php x ?>", "ab c<d"),
        ("<h2>T<a class=headerlink href='#t'>¶</a></h2>", "T"),
        ("a <a href='#n'>[1]</a> <a href='#x'>§ 3</a>", "a [1] § 3"),
    ],
)
def test_text_is_laid_out_as_the_page_is(body: str, text: str) -> None:
    assert page(body).text == text


@pytest.mark.parametrize(
    "noise",
    [
        "<script>if (a < b) x('</p>')</script>",
        "<style>p { }</style>",
        "<nav><ul><li>no</ul></nav>",
        "<div role=navigation>no<div>no</div>no</div>",
        "<footer>no</footer>",
        "<button>no</button>",
        "<svg><title>no</title><text>no</text></svg>",
        "<span aria-hidden='true'>no<span>no</span></span>",
        "<td class='linenos'><pre>1\n2</pre></td>",
        "<noscript>no</noscript><template>no</template><select><option>no</select>",
        "<textarea>no</textarea><iframe>no</iframe>",
        "<SCRIPT type='x'>no</SCRIPT\n>",
    ],
)
def test_what_readers_pass_over_is_left_out(noise: str) -> None:
    found = page(f"<div>a {noise} b</div>")
    assert found.text.split() == ["a", "b"]
    assert found.title == "a.html"


def test_what_was_left_open_ends_with_its_container() -> None:
    assert page("<div><nav>no</div><p>yes").text == "yes"
    assert page("<div>a<ul><li>b</div><p>c").text == "a\n\n- b\n\nc"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a<main>b<article>c</article></main>d", "b\n\nc"),
        ("a<div role=main>b<div>c</div>d</div>e", "b\n\nc\n\nd"),
        ("a<article>b<footer>c</footer></article>d", "b\n\nc"),
        ("a<article>b</article><article>c</article>", "a\n\nb\n\nc"),
        ("a<main></main>d", "a\n\nd"),
        ("a<main>b", "b"),
    ],
)
def test_the_one_main_region_is_the_document(body: str, text: str) -> None:
    assert page(body).text == text


def test_sections_go_by_their_ids_since_links_use_them() -> None:
    found = page(
        "<h1 id=top>T</h1><h2 id=Own>A</h2><section id=wrap><span id=s></span><h2>B</h2></section>"
        "<a name=before></a><h3>C</h3>x<h2>D <a id=in></a></h2><h2>E f</h2><h2>E f</h2>"
        "<h2 id=Own>again</h2><h2 id=e-f-2>G</h2><h2>E f</h2><h2><img></h2>"
    )
    assert [(part.name, part.title) for part in found.parts] == [
        *(("Own", "A"), ("wrap", "B"), ("before", "C"), ("in", "D")),
        *(("e-f", "E f"), ("e-f-1", "E f"), ("again", "again"), ("e-f-2", "G"), ("e-f-3", "E f")),
    ]
    assert found.parts[2].parent == 1


@pytest.mark.parametrize(
    ("body", "title", "titled", "sections"),
    [
        ("<title>Head</title><h1>Own</h1><h2>a</h2>", "Own", True, ["a"]),
        ("<title> Head\n &amp; more</title><h2>a</h2>", "Head & more", True, ["a"]),
        ("<h2>a</h2><h1>Own</h1>", "Own", True, ["a", "Own"]),
        ("<title></title>x", "a.html", False, []),
        ("<h1><div>Own</div><p>not</h1>", "Own", True, []),
        ("<h1>Own<p>unclosed", "Own", True, []),
    ],
)
def test_the_h1_that_opens_a_page_is_its_title(
    body: str, title: str, titled: bool, sections: list[str]
) -> None:
    found = page(body)
    assert (found.title, found.titled, [part.title for part in found.parts]) == (
        *(title, titled, sections),
    )


def test_the_lead_is_the_first_paragraph_of_prose() -> None:
    found = page(
        "<h1>T</h1><pre>code</pre><ul><li>item</ul><p>Lead <b>here</b>.</p><p>Next.</p>"
        "<h2>A</h2><table><tr><td>cell</table><p>Its lead.</p><h2>B</h2><dl><dt>f<dd>Does."
    )
    assert found.lead == "Lead here."
    assert [part.lead for part in found.parts] == ["Its lead.", "Does."]
    assert page("<p>Note<p>Source: a/b.py<p>It tells.").lead == "It tells."
    assert page("<p>Note<p>Other").lead == "Note"
    assert page("<meta name=description content='Stated.'><ul><li>a</ul>").lead == "Stated."


def test_code_is_no_prose() -> None:
    found = page("x<main><p>One<pre>a\n\n<b>b</b></pre><p>two<pre>c</pre></main>")
    assert found.prose is not None
    assert [found.text[start:end] for start, end in found.prose] == ["One\n\n", "\n\ntwo\n\n"]
    assert page("<p>One").prose is None


def test_links_have_their_target_line_and_words() -> None:
    source = "<p>See\n<a href=' b.html?x=1&amp;y=2#z '>\nthe <b>other</b></a>, <a href=c/>c</a>"
    found = page(f"{source}<a href=img><img></a><a href='#here'>up</a><a>none</a>")
    assert [(r.style, r.target, r.line, found.text[r.start : r.end]) for r in found.links] == [
        ("path", "b.html?x=1&y=2#z", 3, "the other"),
        ("path", "c/", 3, "c"),
    ]


def test_the_head_and_the_opening_give_fields() -> None:
    found = page(
        "<meta name=viewport content=x>\n<meta name='Superseded-By' content='b.html'>"
        "<link rel=related href=c.html><h1>T</h1>\n<p><b>Status:</b> old</p><h2>A</h2><p>B: c"
    )
    assert [(f.name, f.value, f.line) for f in found.fields] == [
        ("superseded_by", "b.html", 2),
        ("related", "c.html", 2),
        ("status", "old", 3),
    ]


@pytest.mark.requirement(6)
def test_a_chunk_has_the_lines_of_the_file_it_came_from() -> None:
    source = "<html>\n<title>x</title>\n<main>\n<h1>T</h1>\n<p>one\ntwo</p>\n\n<pre>\na\nb\n</pre>"
    found = parsed("a.html", f"{source}\n<h2 id=s>S</h2>\n<p>last</p>\n</main>\n<footer>f")
    made = split_chunks("a.html", found, "r:a", ["r:a#s"])
    assert [(chunk.text, chunk.location.cite()) for chunk in made] == [
        ("T\n\none two\n\na\nb", "a.html:4-10"),
        ("S\n\nlast", "a.html:12-13"),
    ]


@given(st.lists(st.sampled_from(TAGS) | st.integers(0, 99).map("w{}w".format), max_size=60))
def test_every_word_is_on_the_line_of_the_map(pieces: list[str]) -> None:
    source = "".join(pieces)
    lines = source.split("\n")
    found = page(source)
    positions = Positions(found)
    assert found.text == found.text.strip("\n")
    for word in re.finditer(r"w\d+w", found.text):
        assert word.group() in lines[positions.at(word.start()) - 1]
    spans = found.prose or ()
    assert all(0 <= start < end <= len(found.text) for start, end in spans)
    assert list(spans) == sorted(spans)
    assert [pair[0] for pair in found.source_lines] == sorted({p[0] for p in found.source_lines})


@pytest.mark.parametrize(
    "unit",
    [
        *("<a ", "<!--", "<![if>", "<![x[", "<?", "</a ", '<a x="><a " ', "<title>", "<b =", "&#9"),
        *("<div>", "<ul><li>x", "<p>x", "<a href=x>", "<table><tr><td>", "<h2>", "<pre>", "<main>"),
        *("<span aria-hidden=true>", "</div>", "<b></i>", "&", "\n", "x<br>", "<h2 id=a>b</h2>"),
        *(
            "<article>x</article>",
            "<h2>e</h2>",
            "<li>",
            "<a name=b></a>",
            "<meta name=a content=b>",
        ),
    ],
)
def test_the_text_is_not_much_longer_than_the_page_however_broken(unit: str) -> None:
    source = unit * (8_000 // len(unit))
    assert len(page(source).text) <= 10 * len(source)


def test_a_number_beyond_all_characters_is_kept() -> None:
    assert page("a &#" + "9" * 5_000 + "; b").text.startswith("a &#999")


@pytest.mark.parametrize(
    ("head", "charset", "expected"),
    [
        ("<meta charset='iso-8859-1'>", "cp1252", "caf\u00e9 \u201cquoted\u201d"),
        (
            '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
            *("cp1251", "\u043f\u0440\u0438\u0432\u0435\u0442"),
        ),
        ("<?xml version='1.0' encoding='Shift_JIS'?>", "shift_jis", "\u65e5\u672c"),
        ("<meta charset=koi8-r>", "utf-8", "caf\u00e9"),
    ],
)
def test_bytes_that_are_not_utf8_are_read_as_the_page_declares(
    head: str, charset: str, expected: str
) -> None:
    found = read_html("a.html", f"{head}<p>{expected}".encode(charset))
    assert isinstance(found, ParsedFile)
    assert found.text == expected


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<p>\xe9", "not UTF-8: 0xe9 at byte 3"),
        (b"<meta charset=utf-8>\xe9", "not UTF-8: 0xe9 at byte 20"),
        (b"<meta charset=zlib>\xe9", "not UTF-8: 0xe9 at byte 19"),
        (b"<meta charset=no-such>\xe9", "not UTF-8: 0xe9 at byte 22"),
        (b"<meta charset=latin1>\x81", "neither UTF-8 nor cp1252, as it declares: 0x81 at byte 21"),
        (b"<p>\0", "binary: a NUL at byte 3"),
    ],
)
def test_what_no_declaration_explains_is_a_problem(data: bytes, reason: str) -> None:
    assert read_html("a.html", data) == SourceProblem("a.html", reason)


def test_a_page_of_xml_closes_its_empty_elements() -> None:
    found = page("<?xml version='1.0'?><script src='x'/><title/><a id='s'/><h2>S</h2><div/>b")
    assert (found.text, found.parts[0].name) == ("S\n\nb", "s")
