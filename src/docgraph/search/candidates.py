"""Candidates: whom meaning, words, names and titles each find, and how near they all are."""

from collections import Counter
from collections.abc import Iterable

from docgraph.model.identifiers import identifiers, path_suffixes, title_spans, titled_documents
from docgraph.model.node import document_of
from docgraph.model.question import Question
from docgraph.model.scoring import Bm25
from docgraph.model.tokenize import tokenize
from docgraph.model.vector import ONE
from docgraph.ports.search_reads import Level, SearchReads, similarity_of

Ranked = list[tuple[str, float]]
BM25 = Bm25()
NAMESAKES = 8  # visible definers beyond which a name is common, as with titles


def vector_candidates(
    question: Question, window: SearchReads, over: Level, roll_up: bool, pool: int
) -> Ranked:
    rows = window.nearest(question.vector, over=over, roll_up=roll_up, top=pool)
    return [(node, dot / ONE) for node, dot in rows]


def lexical_candidates(question: Question, window: SearchReads, roll_up: bool, pool: int) -> Ranked:
    """The first `pool` by BM25."""
    terms = tuple(sorted(set(tokenize(question.text))))
    return list(window.lexical(terms, roll_up=roll_up, pool=pool, bm25=BM25))


def defining_nodes(text: str, window: SearchReads, roll_up: bool) -> dict[str, str]:
    """Visible nodes that define an identifier in the question, with the reason in words.

    A name that many define, such as `__init__`, singles none of them out.
    """
    names = tuple(dict.fromkeys((*identifiers(text), *path_suffixes(text))))
    found: dict[str, str] = {}
    pairs = window.definers(names) if names else ()
    bearers = Counter(name for name, _ in pairs)
    for name, node in sorted(pairs, key=lambda pair: (names.index(pair[0]), pair[1])):
        if bearers[name] <= NAMESAKES:
            found.setdefault(document_of(node) if roll_up else node, f"defines {name}")
    return found


def titled_nodes(text: str, window: SearchReads) -> dict[str, str]:
    """Visible documents whose title the question names, with that title."""
    places = title_spans(text)
    return titled_documents(places, window.documents_titled(tuple(places))) if places else {}


def cosines_of(
    question: Question, window: SearchReads, nodes: Iterable[str], *, passages: bool, roll_up: bool
) -> dict[str, float]:
    """Cosines of their best passages, or of their summaries, as those have that hold none."""
    wanted = tuple(nodes)
    near = similarity_of(question.vector, wanted, window, passages=passages, roll_up=roll_up)
    return {node: near.get(node, 0) / ONE for node in wanted}
