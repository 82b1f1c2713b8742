"""A rerank model that reads with the reader's own rights."""

from collections.abc import Sequence

import pytest

from docgraph.model.errors import BadInput
from docgraph.pipeline.bound_reranker import BoundReranker
from tests.support.made_documents import EAST, NORTH, Said, ask, document
from tests.support.memory_world import World, world
from tests.support.stand_ins import LikesLongTexts

PLACE = world(
    document("r:a", Said("far " * 9, EAST), Said("near", NORTH)),
    document("r:b", Said("near and longer", NORTH)),
    document("r:secret", Said("x" * 500, NORTH)),
    hidden=["r:secret"],
)


def bound(place: World = PLACE) -> BoundReranker:
    return BoundReranker(LikesLongTexts(), place, ask("why?"))


@pytest.mark.requirement(16)
def test_a_candidate_is_read_as_title_summary_and_closest_passage() -> None:
    assert bound().scores("why?", ("r:a", "r:b")) == {
        "r:a": len("a\nSummary of a.\nnear"),
        "r:b": len("b\nSummary of b.\nnear and longer"),
    }


@pytest.mark.requirement(16)
@pytest.mark.requirement(34)
def test_what_the_reader_may_not_see_is_not_read() -> None:
    assert set(bound().scores("why?", ("r:a", "r:secret", "r:never"))) == {"r:a"}
    assert bound().scores("why?", ("r:secret",)) == {}
    assert bound().scores("why?", ()) == {}


def test_a_model_is_not_asked_about_nothing() -> None:
    class NeverAsked(LikesLongTexts):
        def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
            raise AssertionError(texts)

    nobody = BoundReranker(NeverAsked(), PLACE, ask("why?"))
    assert nobody.scores("why?", ("r:secret",)) == {}


@pytest.mark.requirement(16)
def test_a_document_without_passages_is_read_by_its_summary() -> None:
    place = world(document("r:empty"))
    assert bound(place).scores("why?", ("r:empty",)) == {
        "r:empty": len("empty\nSummary of empty.\n")
    }


@pytest.mark.requirement(16)
def test_reranking_is_optional_and_asking_for_it_without_a_model_says_what_to_do() -> None:
    nobody = BoundReranker(None, PLACE, ask("why?"))
    assert nobody.name == "none"
    with pytest.raises(BadInput, match="no reranker is configured; set `reranker`"):
        nobody.scores("why?", ("r:a",))
    assert bound().name == "long is good"
