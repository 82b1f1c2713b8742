"""Code of all languages: no text fails, no span is outside the text, deep nesting is not slow."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.languages.bounded_parse import MAX_DEPTH
from docgraph.ingest.languages.csharp import parse_csharp
from docgraph.ingest.languages.java import parse_java
from docgraph.ingest.languages.javascript import parse_javascript, parse_tsx, parse_typescript
from docgraph.ingest.languages.python import parse_python
from docgraph.ingest.languages.sql import parse_sql
from docgraph.ingest.parsed_file import ParsedFile
from tests.support.growth import LINEAR, TIMES, growth

Parse = Callable[[str, str], ParsedFile]
LANGUAGES: dict[str, Parse] = {
    "cs": parse_csharp,
    "java": parse_java,
    "js": parse_javascript,
    "py": parse_python,
    "sql": parse_sql,
    "ts": parse_typescript,
    "tsx": parse_tsx,
}
PIECES = [
    *("class A ", "extends B ", ": B ", "{", "}", "(", ")", "[", "]", ";", ",", "=>", "= ", "\n"),
    *("def f(self, a: B = C()):\n", "    ", "@d\n", "self.x = A()", "super().f()", "lambda a: "),
    *("import a.b", "from . import (a as b)", "from a import ", "import ", "global a\n", "as "),
    *("import {a as b} from './c'", "import * as ", "from './c'", "export default ", "export {"),
    *("const f = async ", "function g", "this.x()", "new A<B>()", "module.exports = ", "new "),
    *("exports.a = ", "require('a')", "require(", "const {a, b: c} = ", "<A/>", "?.", "a.b.c()"),
    *("package a.b;", "package ", "import static a.B.*;", "public void m(A a) ", "interface I "),
    *("using A = B.C;", "using ", "static ", "namespace N ", "namespace M;", "record R(A a)"),
    *("CREATE TABLE a.b (c int);", "CREATE PROCEDURE p AS $$ ", "$$;", "WITH a AS (SELECT 1) "),
    *("SELECT * FROM a", "INSERT INTO [b].[c] ", "CREATE ", "PROC x ", "FUNCTION f() ", "[a]"),
    *("-- x\n", "/* y */", "// z\n", "# w\n", "/// <summary>x</summary>\n", '"""', "'", "`"),
    *("é", "😀", "\x00", "\u2028", "\r", "\t", "$", "\\", "<", ">", "a", ".", "#!", "\x0c"),
]
DEEP = [  # language, beginning, what is repeated, what is repeated after it, end, how often
    ("py", "x = ", "f(", ")", "", MAX_DEPTH // TIMES),
    ("py", "x = a", ".b()", "", "", 1_000),
    ("py", "", "(", "", "", MAX_DEPTH // TIMES),
    ("js", "", "f(function(){", "", "", MAX_DEPTH // TIMES // 2),
    ("js", "", "const a=()=>{", "", "", MAX_DEPTH // TIMES),
    ("js", "x=a", ".b()", "", "", 1_000),
    ("java", "", "class A{", "", "", MAX_DEPTH // TIMES),
    ("java", "class A{void f(){a", ".b()", "", ";}}", 1_000),
    ("cs", "class A{void f(){a", ".b()", "", ";}}", 1_000),
    ("cs", "", "namespace A{", "", "", MAX_DEPTH // TIMES),
    ("sql", "SELECT * FROM ", "(SELECT * FROM ", "", "", MAX_DEPTH // TIMES),
    ("sql", "", "[", "", "", MAX_DEPTH // TIMES),
]


@pytest.mark.parametrize("language", LANGUAGES)
@given(pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40))
def test_no_text_fails_or_has_references_outside_it(language: str, pieces: list[str]) -> None:
    text = "".join(pieces).encode("utf-8", "replace").decode()
    found = LANGUAGES[language](f"a/b.{language}", text)
    suffixes = {"", *(part.suffix for part in found.parts)}
    for reference in found.references:
        assert 0 <= reference.start < reference.end <= len(text)
        assert text.count("\n", 0, reference.start) + 1 == reference.line
        assert reference.suffix in suffixes
    assert all(definition.suffix in suffixes for definition in found.definitions)
    assert list(found.prose or ()) == sorted(found.prose or ())
    assert_nested(found)


def assert_nested(found: ParsedFile) -> None:
    """Parts are in order, inside their parents, and beside their neighbours."""
    assert len({part.name for part in found.parts}) == len(found.parts)
    for index, part in enumerate(found.parts):
        assert 0 <= part.start <= part.end <= len(found.text)
        if part.parent is not None:
            parent = found.parts[part.parent]
            assert part.parent < index
            assert parent.start <= part.start
            assert part.end <= parent.end
        if index:
            assert found.parts[index - 1].start <= part.start


@pytest.mark.parametrize("language", LANGUAGES)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=30))
def test_the_same_text_gives_the_same_twice(language: str, pieces: list[str]) -> None:
    text = "".join(pieces)
    assert LANGUAGES[language]("a/b", text) == LANGUAGES[language]("a/b", text)


@pytest.mark.parametrize(("language", "start", "unit", "closing", "end", "size"), DEEP)
def test_time_grows_with_the_depth_of_code_and_no_faster(
    language: str, start: str, unit: str, closing: str, end: str, size: int
) -> None:
    def read(depth: int) -> None:
        text = start + unit * depth + closing * depth + end
        assert LANGUAGES[language]("a", text).text == text

    assert growth(read, size) < LINEAR


def test_a_file_of_readings_that_nothing_decides_between_is_read_as_text() -> None:
    """The parser would compare them all at the end, each with all that follows."""
    text = "a\n" + "\n/*a.b()" * 2_000
    found = parse_python("a.py", text)
    assert found.text == text
    assert (found.parts, found.references) == ((), ())
    assert any("ambiguous" in remark for remark in found.remarks)
    assert len(parse_python("a.py", "print 'a'\n" * 200 + "def f(): pass\n").parts) == 1


def test_a_qualified_name_does_not_grow_with_every_level() -> None:
    found = parse_javascript("a.js", "function a(){" * 900 + "}" * 900)
    assert 0 < len(found.parts) < 100


def test_references_are_in_the_order_of_their_positions() -> None:
    text = "import b.c\nclass A(b.c.D):\n    def f(self): b.c.g(b.c.h())\n"
    starts = [reference.start for reference in parse_python("a.py", text).references]
    assert starts == sorted(starts)
