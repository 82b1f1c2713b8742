"""Files that are hostile to their format: a piece of it, repeated.

`\\N` in a piece is a number that counts up. What a piece does is measured through reading,
building and mining, as an ingest does it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from docgraph.ingest.formats.registry import Format
from docgraph.ingest.parse_file import ParseResult, ParseTask, parse_file
from docgraph.ingest.registries import SHIPPED
from docgraph.ports.source import SourceFile


@dataclass(frozen=True, slots=True)
class Repeated:
    begin: str
    unit: str
    end: str = ""

    def of_length(self, length: int) -> bytes:
        times = length // len(self.unit) + 1
        if "\\N" in self.unit:
            middle = "".join(self.unit.replace("\\N", str(number)) for number in range(times))
        else:
            middle = self.unit * times
        return f"{self.begin}{middle}{self.end}".encode()


def repeated(*units: str) -> tuple[Repeated, ...]:
    return tuple(Repeated("", unit) for unit in units)


ANY_TEXT = repeated(
    *(":", " ", "\n", "a", "A", "0", "_", ".", "-", "`", "*", "[", "(", "<", "\\", '"', "'", "|"),
    *("a ", "A ", "a\n", "a\n\n", "A. ", "a.-", "[a](b) ", "`a", "é", "\t", "# ", "> ", "- ", "Ab"),
    *("Aa Bb ", "f_\\N ", "PEP \\N ", "a/b\\N.md ", "Word\\N Other "),
)
CODE_TEXT = repeated(
    *("(", ")", "[", "{", "}", "<", "A<", "a.", "a,", "a=", "a;", "'", '"', "/*", "//\n", "f() "),
    *("a.b()", "f(", "@a\n", "#", "class A\\N {", "x = ", "a ? ", "=> ", "*", "\\", "\u2028", "."),
)
C_LIKE = (
    *repeated("class A\\N{}\n", "class A{", "f\\N(){", "if(a){", "a+", "a<b>", "a?b:", "new A<"),
    Repeated("class A{void f(){a", ".b()", ";}}"),
    Repeated("class A{", "void f\\N(){f\\N();}"),
)
SCRIPT = (
    *repeated(
        "import {a\\N} from './b'\n", "export {a\\N}\n", "a\\N = require('b')\n", "`${", "/a"
    ),
    *repeated(
        "const a\\N=()=>{", "f(function(){", "function f\\N(){f\\N()}\n", "export * from 'a'\n"
    ),
    *repeated("async ", "a=>", "<a>", "let a\\N = b\n", "exports.a\\N = "),
    Repeated("x=a", ".b()"),
)
OF_FORMAT: Mapping[str, tuple[Repeated, ...]] = {
    "csharp": (
        *CODE_TEXT,
        *C_LIKE,
        *repeated("using a\\N;", "using ", "namespace A{", "/// <summary>\n", "[A]", "A::", "A<B<"),
    ),
    "html": repeated(
        *("<a ", "<!--", "<![if>", "<![x[", "<?", "</a ", '<a x="><a " ', "<title>", "<b =", "&#9"),
        *("<div>", "<ul><li>x", "<p>x", "<a href=x>", "<table><tr><td>", "<h2>", "<pre>", "<main>"),
        *("<span aria-hidden=true>", "</div>", "<b></i>", "&", "x<br>", "<h2 id=a>b</h2>", "<nav>"),
        *("<article>x</article>", "<h2>e</h2>", "<li>", "<a name=b></a>"),
        *("<meta name=a content=b>"),
        *("<meta<", "<h\\N>", "<a href='#\\N'>b</a>", "<h2 id=a\\N>a</h2>", "<pre>\n", "<td>a"),
        *("<a href=x>y", "<h1>x<h1>", "<dt>a<dd>"),
    ),
    "java": (
        *CODE_TEXT,
        *C_LIKE,
        *repeated("import a\\N;", "import ", "package a;", "/** a */", "@A(", "A<B<", "A[]"),
    ),
    "javascript": (*CODE_TEXT, *C_LIKE, *SCRIPT),
    "markdown": (
        *repeated(
            "[a](b)", "![", "[a", "](", "**a", "_a", "*a_ ", "<a", "<!--", "&a;", "~", "```\n"
        ),
        *repeated("# a\n", "## a\\N\n", "> > ", "- a\n", "1. ", "a\n===\n", "[a]: b\n", "[a]"),
        *repeated("<a@b"),
        *repeated("\\[", "``a`", "http://a ", "a  \n", "\t- ", "| a ", "---\n", "[a]: b\\N\n"),
        *repeated("![]("),
        *repeated(
            ">", "- ", "* ", "    a\n", "<b>", "<?", "<![CDATA[", "[a\\N]: b\n[a\\N]\n", "***"
        ),
        *repeated(
            "Status: x\n", "- a: b\n", "<a ", "<a href='", "[[", "]]", "a*", "__", "a&", "*_"
        ),
        Repeated("", "[", "a" + "]" * 10),
        Repeated("---\n", "a: b\n"),
        Repeated("---\na: ", "[", "\n---\n"),
        Repeated("---\n", "k\\N: v\n", "---\n"),
        Repeated("[a]: b\n\n", "[a] "),
        Repeated("# a\n\n", "Superseded by [b](c) ", "\n"),
        Repeated("## Status\n\n", "Superseded by ADR-\\N\n"),
    ),
    "python": (
        *CODE_TEXT,
        *repeated(
            "from a import *\n", "import a\\N\n", "def f\\N(): f\\N()\n", "lambda a: ", "f'{"
        ),
        *repeated(
            "class A\\N(A): pass\n", "if a:\n ", "@", "x = a\n", "a if ", "not ", "global a\n"
        ),
        *repeated("from . import a\n", "super().f()\n", '"""', "async def f(): ", "A.a = 1\n"),
        *repeated("a[b:"),
        *repeated(
            "from a\\N import *\nf\\N()\n", "def f(a\\N):\n", "class A:\n def f(self): pass\n"
        ),
        Repeated("from a import *\n" * 200, "f()\n"),
        Repeated("x = a", ".b()"),
        Repeated("a\n", "\n/*a.b()"),
        Repeated("from a import *\n" * 300, "\n/*a.b()"),
        Repeated("def f(", "a\\N: A = B(), ", "): pass"),
        Repeated("try:\n", " from a import *\n"),
    ),
    "rst": (
        *repeated("a\n=\n", "a\\N\n====\n", ".. _a: b\n", "`a`_ ", "`a <b>`_ ", ":a:`", "::\n"),
        *repeated(".. a\n"),
        *repeated(".. toctree::\n\n   a\n", "  a\n", "|a|", "``", "`", ":a: b\n", "=\n", "*a*"),
        *repeated("__ a\n"),
        *repeated(":doc:`a`", ":pep:`\\N`", ".. _a\\N: b\n", "a_ ", "`a", "`<", "<a>`_ ", "a-_"),
        *repeated(":a:"),
        *repeated(
            "a\n=\na\n-\n", "==\na\n==\n", "    a\n", ".. code::\n\n", "``a", ":doc:`", "-\n"
        ),
        Repeated(".. _a: b\n\n", "a.-"),
        Repeated(".. _a: b\n\n", "a_ "),
        Repeated(".. _a: b\n\n", "-"),
        Repeated(".. toctree::\n", "   a\n"),
        Repeated(".. toctree::\n", " \n"),
        Repeated("", ".. _a\\N: b\n", "a_"),
    ),
    "sql": (
        *CODE_TEXT,
        *repeated("SELECT a FROM b;\n", "SELECT * FROM (", "CREATE TABLE t\\N (a int);\n"),
        *repeated("CREATE ", "--"),
        *repeated("CREATE PROCEDURE p AS $$ ", "$$", "BEGIN ", "END;\n", "WITH a AS (", "[a]."),
        *repeated("a JOIN "),
        *repeated("INSERT INTO a SELECT b;", "CASE WHEN ", "AND a=b ", "UNION ", "[", "`a", "GO\n"),
        *repeated("CREATE FUNCTION f\\N() AS $$ SELECT 1 $$;\n", "CREATE PROC p BEGIN\n"),
    ),
    "text": repeated(
        "A: b\n", "A: b\n c\n", "\n\n", "a: b   c\n", "A-b: \n", "Updates: \\N\n", "a:", " \n"
    ),
    "tsx": (*CODE_TEXT, *C_LIKE, *SCRIPT, *repeated("<A>", "<A b={", "</A>", "{<A>")),
    "typescript": (
        *CODE_TEXT,
        *C_LIKE,
        *SCRIPT,
        *repeated("type A\\N = B<", "a as ", "interface A{", "a!:"),
    ),
}


def text_files(name: str) -> Iterator[Callable[[int], bytes]]:
    for piece in dict.fromkeys((*ANY_TEXT, *OF_FORMAT[name])):
        yield piece.of_length


def parse_work(
    format_: Format, make: Callable[[int], bytes]
) -> Callable[[int], Callable[[], ParseResult]]:
    """As a worker process does it: the document is read, built and mined."""

    def work(size: int) -> Callable[[], ParseResult]:
        data = make(size)
        path = f"docs/a{format_.suffixes[0]}"
        task = ParseTask(SourceFile(path, len(data)), data, format_.name, "r", "0", 1_200)
        return lambda: parse_file(task, SHIPPED)

    return work
