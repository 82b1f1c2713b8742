"""The pipeline `strict`: the published design, without any tuning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.pipeline.load import load, load_text, shipped_pipelines
from tests.support.memory_world import World, world
from tests.support.pipeline_runs import plan_and_context
from tests.support.sample_documents import (
    EAST,
    NORTH,
    ChunkSpec,
    SampleDocument,
    ask,
    document,
    edge,
    towards,
)

STRICT = load("strict")
SEMANTIC = load_text(
    "{pipeline: semantic, extends: strict, without: [select_scope, expand_relationships]}",
    shipped_pipelines(),
)
SIMILARITIES = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6)


def page(name: str, similarity: float) -> SampleDocument:
    return document(f"r:{name}.md", f"about {name}", meaning=towards(similarity))


PAGES = tuple(page(name, s) for name, s in zip("abcdefgh", SIMILARITIES, strict=True))


def plan(place: World, question: Question | None = None) -> RetrievalPlan:
    return plan_and_context(place, STRICT, question or ask("about h"))[0]


@pytest.mark.requirement(60)
def test_seeds_are_the_nearest_summaries_and_neither_chunks_nor_terms_count() -> None:
    near_chunk = document("r:z.md", ChunkSpec("about h", NORTH), meaning=EAST)
    assert plan(world(*PAGES, near_chunk)).order == tuple(f"r:{name}.md" for name in "abcdef")


@pytest.mark.requirement(60)
def test_every_outgoing_relation_is_followed_one_hop_in_order_of_seed_and_first_mention() -> None:
    edges = (
        edge("r:b.md", "r:g.md", "explains", 1),
        edge("r:a.md", "r:far.md", "mentions", 9),
        edge("r:a.md", "r:h.md", "superseded_by", 3),
        edge("r:far.md", "r:further.md", "references", 0),
        edge("r:back.md", "r:a.md", "references", 0),
    )
    others = tuple(document(f"r:{n}.md", n, meaning=EAST) for n in ("far", "further", "back"))
    found = plan(world(*PAGES, *others, edges=edges))
    assert found.order == tuple(f"r:{name}.md" for name in ("a", "b", "c", "h", "far", "g"))
    assert [(e.source, e.via) for e in found.expanded_documents] == [
        ("r:a.md", "superseded_by"),
        ("r:a.md", "mentions"),
        ("r:b.md", "explains"),
    ]


@pytest.mark.requirement(60)
@given(st.permutations(SIMILARITIES[3:]))
def test_no_score_passes_along_a_relation(similarities: list[float]) -> None:
    """Neighbours stay in their order, however near to the question each of them is."""
    targets = [page(name, 0.5 * s) for name, s in zip("vwxyz", similarities, strict=True)]
    edges = [edge("r:a.md", held.id, at=at) for at, held in enumerate(targets)]
    found = plan(world(*PAGES, *targets, edges=edges))
    assert found.order == tuple(f"r:{name}.md" for name in "abcvwx")


@pytest.mark.requirement(60)
@pytest.mark.requirement(28)
@given(st.lists(st.sampled_from(SIMILARITIES), min_size=1, max_size=9))
def test_without_relations_it_is_plain_semantic_retrieval(similarities: list[float]) -> None:
    place = world(*(page(f"p{at}", s) for at, s in enumerate(similarities)))
    strict, semantic = (plan_and_context(place, steps, ask("any")) for steps in (STRICT, SEMANTIC))
    assert strict[0].order == semantic[0].order
    assert strict[1].text == semantic[1].text
    ranked = sorted(enumerate(similarities), key=lambda item: (-item[1], f"r:p{item[0]}.md"))
    assert strict[0].order == tuple(f"r:p{at}.md" for at, _ in ranked)[:6]


@pytest.mark.requirement(60)
def test_the_dominant_repository_is_kept() -> None:
    other = document("other:a.md", "about h", meaning=towards(0.72))
    found = plan(world(*PAGES[:5], other))
    assert "other:a.md" not in found.order
    assert found.constraints.selection is not None
    assert "repository r dominates" in found.constraints.selection.reason
