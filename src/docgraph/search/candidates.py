"""Candidates by vectors, by BM25, by identifiers and by titles, and their cosines."""

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
MAX_DEFINERS = 8  # a name that more visible nodes define is common, as with titles


def vector_candidates(
    question: Question, reads: SearchReads, over: Level, roll_up: bool, pool: int
) -> Ranked:
    """None for a question without a vector: nothing of what is visible has one."""
    if not question.vector:
        return []
    rows = reads.nearest(question.vector, over=over, roll_up=roll_up, top=pool)
    return [(node, dot / ONE) for node, dot in rows]


def lexical_candidates(question: Question, reads: SearchReads, roll_up: bool, pool: int) -> Ranked:
    """The first `pool` by BM25."""
    terms = tuple(sorted(set(tokenize(question.text))))
    return list(reads.lexical(terms, roll_up=roll_up, pool=pool, bm25=BM25))


def defining_nodes(text: str, reads: SearchReads, roll_up: bool) -> dict[str, str]:
    """Visible nodes that define an identifier in the question, with the reason.

    A name that more than MAX_DEFINERS define, such as `__init__`, is ignored.
    """
    names = tuple(dict.fromkeys((*identifiers(text), *path_suffixes(text))))
    defining: dict[str, str] = {}
    pairs = reads.definers(names) if names else ()
    definers = Counter(name for name, _ in pairs)
    position = {name: at for at, name in enumerate(names)}
    for name, node in sorted(pairs, key=lambda pair: (position[pair[0]], pair[1])):
        if definers[name] <= MAX_DEFINERS:
            defining.setdefault(document_of(node) if roll_up else node, f"defines {name}")
    return defining


def titled_nodes(text: str, reads: SearchReads) -> dict[str, str]:
    """Visible documents whose title the question names, with that title."""
    spans = title_spans(text)
    return titled_documents(spans, reads.documents_titled(tuple(spans))) if spans else {}


def cosines_of(
    question: Question, reads: SearchReads, nodes: Iterable[str], *, by_chunk: bool, roll_up: bool
) -> dict[str, float]:
    """Cosines of their best chunks, or of the summary where there is no chunk; those without a
    vector are left out."""
    ids = tuple(nodes)
    if not question.vector or not ids:
        return {}
    near = similarity_of(question.vector, ids, reads, by_chunk=by_chunk, roll_up=roll_up)
    return {node: near[node] / ONE for node in ids if node in near}
