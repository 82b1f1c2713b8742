"""What may be asked: a question in words, or ids instead of one."""

from collections.abc import Sequence

from docgraph.model.errors import BadInput
from docgraph.model.seeds import Seed, Seeds
from docgraph.ports.graph_reads import GraphReads

LONGEST_QUESTION = 20_000
MOST_IDS = 1_000


def checked_question(question: str, seeds: Sequence[str]) -> str:
    text = question.strip()
    if not _is_text(text):
        raise BadInput("the question holds bytes that are not text")
    checked_ids(seeds)
    if not text and not seeds:
        raise BadInput("ask a question, or name seeds by id")
    if len(text) > LONGEST_QUESTION:
        raise BadInput(
            f"a question takes at most {LONGEST_QUESTION} characters, this one has {len(text)}"
        )
    return text


def checked_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Each once, in the order given."""
    if not all(_is_text(node) for node in ids):
        raise BadInput("an id holds bytes that are not text")
    if len(ids) > MOST_IDS:
        raise BadInput(f"at most {MOST_IDS} ids can be named at once, these are {len(ids)}")
    return tuple(dict.fromkeys(ids))


def _is_text(words: str) -> bool:
    return words.encode("utf-8", "replace").decode() == words


def seeds_from_ids(graph: GraphReads, ids: Sequence[str]) -> Seeds:
    """Explicit ids as seeds; what the reader cannot see is not there."""
    found = graph.visible_ids(tuple(dict.fromkeys(ids)))
    return Seeds(
        ranked=tuple(Seed(node, 0.0, "explicit id") for node in found),
        search=(("mode", "explicit"),),
    )
