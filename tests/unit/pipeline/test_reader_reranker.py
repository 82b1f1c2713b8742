"""A rerank model that reads with the reader's own rights."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from docgraph.model.access import UNCLASSIFIED, AccessRule, Clearance
from docgraph.model.errors import BadInput
from docgraph.pipeline.planned_reads import ReaderReranker
from docgraph.ports.models import Reranked
from tests.support.fakes import LengthReranker
from tests.support.memory_world import World, world
from tests.support.sample_documents import EAST, NORTH, ChunkSpec, ask, document

PLACE = world(
    document("r:a", ChunkSpec("far " * 9, EAST), ChunkSpec("near", NORTH)),
    document("r:b", ChunkSpec("near and longer", NORTH)),
    document("r:secret", ChunkSpec("x" * 500, NORTH)),
    hidden=["r:secret"],
)


def bound(place: World = PLACE) -> ReaderReranker:
    return ReaderReranker(LengthReranker(), place, ask("why?"))


@pytest.mark.requirement(16)
def test_a_candidate_is_read_as_title_summary_and_most_similar_chunk() -> None:
    assert bound().rerank("why?", ("r:a", "r:b")).scores == {
        "r:a": len("a\nSummary of a.\nnear"),
        "r:b": len("b\nSummary of b.\nnear and longer"),
    }


@pytest.mark.requirement(16)
@pytest.mark.requirement(34)
def test_what_the_reader_may_not_see_is_not_read() -> None:
    assert set(bound().rerank("why?", ("r:a", "r:secret", "r:never")).scores) == {"r:a"}
    assert bound().rerank("why?", ("r:secret",)) == Reranked({})
    assert bound().rerank("why?", ()) == Reranked({})


class NeverAsked(LengthReranker):
    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        raise AssertionError(texts)


def test_a_model_is_not_asked_about_nothing() -> None:
    nobody = ReaderReranker(NeverAsked(), PLACE, ask("why?"))
    assert nobody.rerank("why?", ("r:secret",)) == Reranked({})


@pytest.mark.requirement(47)
def test_a_candidate_above_the_models_clearance_is_withheld() -> None:
    place = replace(PLACE, rules={"r:b": AccessRule("local", labels=frozenset({"board"}), level=1)})

    def judged(clearance: Clearance | None) -> Reranked:
        model = LengthReranker(clearance=clearance)
        return ReaderReranker(model, place, ask("why?")).rerank("why?", ("r:b", "r:a", "r:secret"))

    everything = judged(None)
    assert (set(everything.scores), everything.withheld) == ({"r:a", "r:b"}, ())
    assert judged(Clearance(frozenset({"board"}), 1)) == everything
    for short in (
        UNCLASSIFIED,
        Clearance(frozenset({"board"}), 0),
        Clearance(frozenset({"eu"}), 9),
    ):
        found = judged(short)
        assert (set(found.scores), found.withheld) == ({"r:a"}, ("r:b",))


@pytest.mark.requirement(47)
def test_a_model_is_not_asked_where_everything_is_withheld() -> None:
    marked = AccessRule("local", level=1)
    place = replace(PLACE, rules={"r:a": marked, "r:b": marked})
    nobody = ReaderReranker(NeverAsked(clearance=UNCLASSIFIED), place, ask("why?"))
    assert nobody.rerank("why?", ("r:b", "r:a")) == Reranked({}, ("r:b", "r:a"))


@pytest.mark.requirement(16)
def test_a_document_without_chunks_is_read_by_its_summary() -> None:
    place = world(document("r:empty"))
    assert bound(place).rerank("why?", ("r:empty",)).scores == {
        "r:empty": len("empty\nSummary of empty.\n")
    }


@pytest.mark.requirement(16)
def test_reranking_is_optional_and_asking_for_it_without_a_model_says_what_to_do() -> None:
    nobody = ReaderReranker(None, PLACE, ask("why?"))
    assert nobody.name == "none"
    with pytest.raises(BadInput, match="no reranker is configured; set `reranker`"):
        nobody.rerank("why?", ("r:a",))
    assert bound().name == "long is good"
