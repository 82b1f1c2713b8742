"""Every miner takes time in proportion to its document."""

from collections.abc import Callable, Iterator, Mapping

import ahocorasick
import pytest

from docgraph.ingest.build_document import build_nodes
from docgraph.ingest.definitions import defined_names
from docgraph.ingest.formats.registry import SHIPPED_FORMATS, read_file
from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.miners.registry import MINERS, Miner
from docgraph.ingest.miners.titles import TITLES, find_mentions
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.source_text import Positions
from docgraph.ports.source import SourceFile
from docgraph.ports.writes import CurrentText
from tests.growth.hostile_files import ANY_TEXT, Repeated, repeated
from tests.support.growth import growth_problem

SHORTEST = 1_000
# The suffix of the files that a miner reads, and pieces for them.
FILES: Mapping[str, tuple[str, tuple[Repeated, ...]]] = {
    "calls": (
        "py",
        (
            *repeated("def f_\\N(): f_\\N()\n", "f()\n", "a.b()\n", "class A\\N(A): pass\n"),
            Repeated("from a import *\n" * 50, "f()\n"),
            Repeated("", "from a\\N import *\n", "f()\n"),
            Repeated("def f():\n pass\n", "f()\n"),
        ),
    ),
    "imports": ("py", repeated("import a\\N\n", "from a import b\\N\n", "from . import a\n")),
    "tables": ("sql", repeated("SELECT a FROM b\\N;\n", "INSERT INTO a SELECT * FROM b;\n")),
    "types": ("java", repeated("class A\\N extends B {}\n", "class A implements B, C {}\n")),
    "documents": ("md", (*ANY_TEXT, *repeated("ADR-\\N ", "PEP 1", "A-1", "ADR-", "pep1 "))),
    "headers": (
        "md",
        (
            *(),
            *(
                Repeated("# a\n\n", unit)
                for unit in ("Updates: [a](b.md)\n", "Updates: a, b\n", "a: b\n")
            ),
            *(),
            *(
                Repeated("---\nsupersedes: ", unit, "\n---\n")
                for unit in ("[", "a, ", "[a](b", "` ", "a ")
            ),
            Repeated("---\n", "updates: a\\N.md\n", "---\n"),
            Repeated("## Status\n\n", "Superseded by ADR-\\N\n"),
            Repeated("## Status\n\n", "superseded by "),
        ),
    ),
    "identifiers": (
        "md",
        (
            *ANY_TEXT,
            *repeated("`f_\\N` ", "a.b.", "a::b", "~a", "a-", "`a b`", "aB", "[a](b.c) ", "a_"),
            *repeated("a`", "`a", "a::", "a:", "a/", "ADR-1", "a.b-", "fetch_node "),
        ),
    ),
    "links": (
        "md",
        repeated("[a](b\\N.md) ", "[a](../a/b.md#c) ", "[a](#b)\n\n", "[a](" + "../" * 9),
    ),
    "names": (
        "md",
        (
            *ANY_TEXT,
            *repeated("Aa Bb ", "Aa of ", "St. ", "A. B. ", "Aa & ", "Aa 1 May ", "of the "),
            *(
                Repeated("Aa ", unit)
                for unit in ("Aa\n", "A.", "A-", "A'", "A's ", "A_", "A 1 ", "& ", "1.", "A\u0301")
            ),
            *(Repeated("Aa ", unit + " " * 100) for unit in ("A", "Aa 1")),
        ),
    ),
}
TITLE_PIECES = (*ANY_TEXT, *repeated("a ", "aa", "New York ", "aaaa\n", "(a) ", "word \\N "))


@pytest.mark.requirement(74)
@pytest.mark.parametrize(
    "miner", [one for one in MINERS if one.name != TITLES], ids=lambda m: m.name
)
def test_time_grows_with_the_document_and_no_faster(miner: Miner) -> None:
    suffix, hostile = FILES[miner.name]
    found = 0
    for piece in hostile:
        assert not growth_problem(_mining(miner, suffix, piece), SHORTEST), piece
        found += len(tuple(miner.mine(_view(suffix, piece, SHORTEST))))
    assert found


@pytest.mark.requirement(74)
def test_titles_are_searched_in_time_that_grows_with_the_text() -> None:
    words = [piece * times for piece in ("a ", "a", "New York ") for times in range(2, 30)]
    automaton = ahocorasick.Automaton()
    for word in (*map(str.strip, words), "word 1"):
        automaton.add_word(word, word)
    automaton.make_automaton()

    def search(piece: Repeated) -> Callable[[int], Callable[[], object]]:
        def work(size: int) -> Callable[[], object]:
            text = CurrentText("a", "r:a", "document", "On", piece.of_length(size).decode())
            return lambda: sum(1 for _ in find_mentions(text, automaton))

        return work

    for piece in TITLE_PIECES:
        assert not growth_problem(search(piece), SHORTEST), piece


def _mining(miner: Miner, suffix: str, piece: Repeated) -> Callable[[int], Callable[[], object]]:
    def work(size: int) -> Callable[[], object]:
        views = _views(suffix, piece, size)
        return lambda: sum(1 for _ in miner.mine(next(views)))

    return work


def _views(suffix: str, piece: Repeated, size: int) -> Iterator[DocumentView]:
    """A new one each time: a view keeps what it has found."""
    view = _view(suffix, piece, size)
    while True:
        yield DocumentView(view.repository, view.path, view.parsed, view.names, view.line_at)


def _view(suffix: str, piece: Repeated, size: int) -> DocumentView:
    data = piece.of_length(size)
    file = SourceFile(f"docs/a.{suffix}", len(data))
    parsed = read_file(file, data, SHIPPED_FORMATS.by_suffix[f".{suffix}"])
    assert isinstance(parsed, ParsedFile)
    names = defined_names(file.path, parsed, build_nodes("r", file.path, parsed))
    own = tuple(name for name, part in names if not part)
    return DocumentView("r", file.path, parsed, own, Positions(parsed).at)
