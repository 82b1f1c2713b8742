"""What may be asked: a question in words, or ids instead of one."""

from collections.abc import Sequence

from docgraph.model.errors import BadInput
from docgraph.model.seeds import Seed, Seeds
from docgraph.ports.graph_reads import GraphReads

LONGEST_QUESTION = 20_000


def checked_question(question: str, seeds: Sequence[str]) -> str:
    text = question.strip()
    if not _is_text(text):
        raise BadInput("the question holds bytes that are not text")
    if not all(_is_text(seed) for seed in seeds):
        raise BadInput("a seed's id holds bytes that are not text")
    if not text and not seeds:
        raise BadInput("ask a question, or name seeds by id")
    if len(text) > LONGEST_QUESTION:
        raise BadInput(
            f"a question takes at most {LONGEST_QUESTION} characters, this one has {len(text)}"
        )
    return text


def _is_text(words: str) -> bool:
    return words.encode("utf-8", "replace").decode() == words


def explicit(graph: GraphReads, ids: Sequence[str]) -> Seeds:
    """Explicit ids as seeds; what the reader cannot see is not there."""
    found = graph.present(tuple(dict.fromkeys(ids)))
    return Seeds(
        ranked=tuple(Seed(node, 0.0, "explicit id") for node in found),
        search=(("mode", "explicit"),),
    )
