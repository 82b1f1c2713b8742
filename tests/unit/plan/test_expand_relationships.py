"""One hop along outgoing edges, within a cap on documents."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.model.edge import Edge, Relationship
from docgraph.model.plan import Expansion, RetrievalPlan
from docgraph.model.question import Question
from docgraph.plan.expand_relationships import (
    edges_from,
    expand_relationships,
    neighbours,
    within_limits,
)
from docgraph.plan.plan_seeds import plan_seeds
from tests.support.memory_world import World, world
from tests.support.sample_documents import (
    EAST,
    NORTH,
    Meaning,
    Part,
    ask,
    document,
    edge,
    evidence_at,
    roots,
    seeds,
    towards,
)

NAMES = "abcdefghij"
sections = (Part("#x"), Part("#y"))
PLACE = tuple(document(f"r:{name}", parts=sections) for name in NAMES)
nodes = st.from_regex(r"r:[a-j](#[xy])?", fullmatch=True)
edges = st.builds(
    edge,
    nodes,
    nodes,
    st.sampled_from(["references", "explains", "contains"]),
    st.none() | st.integers(0, 50),
)
many_edges = st.lists(edges, max_size=25, unique_by=lambda found: found.edge)
many_seeds = st.lists(nodes, unique=True, max_size=10)


def expand(
    place: World, *ids: str, question: Question | None = None, **options: Any
) -> RetrievalPlan:
    inputs = (question or ask("why?"), seeds(*ids), place.graph, place.search)
    plan = contract_of(expand_relationships).call(inputs, options)
    assert isinstance(plan, RetrievalPlan)
    return plan


def star(*targets: str, source: str = "r:a") -> World:
    return world(*PLACE, edges=[edge(source, target) for target in targets])


@pytest.mark.requirement(20)
def test_one_hop_and_outgoing_only() -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:b"), edge("r:b", "r:c"), edge("r:d", "r:a")])
    plan = expand(place, "r:a")
    assert plan.expanded_documents == (Expansion("r:b", "references", "r:a", "r:b", 1),)
    assert plan.constraints.traversal_enabled is False
    assert (plan.constraints.max_relationship_depth, plan.constraints.direction) == (1, "out")


@pytest.mark.requirement(20)
def test_there_is_no_option_for_depth_or_direction() -> None:
    options = {option.name for option in contract_of(expand_relationships).options}
    assert options == {"max_documents", "max_seed_documents", "relations", "admit"}


@pytest.mark.requirement(23)
def test_an_expanded_document_carries_the_edge_that_admitted_it() -> None:
    place = world(*PLACE, edges=[edge("r:a#x", "r:b#y", "explains")])
    (expansion,) = expand(place, "r:a").expanded_documents
    assert expansion == Expansion("r:b", "explains", "r:a#x", "r:b#y", 1)


@pytest.mark.requirement(20)
def test_a_sections_edges_are_its_own_and_a_documents_are_all_of_its_sections() -> None:
    place = world(*PLACE, edges=[edge("r:a#x", "r:b"), edge("r:a", "r:c")])
    assert expand(place, "r:a#x").order == ("r:a#x", "r:b")
    assert expand(place, "r:a").order == ("r:a", "r:b", "r:c")


@pytest.mark.requirement(21)
@pytest.mark.parametrize(
    ("relations", "reached"),
    [(None, {"r:b", "r:c"}), ((), set()), (("explains",), {"r:c"})],
)
def test_the_allow_list_absent_is_all_and_empty_is_none(
    relations: tuple[str, ...] | None, reached: set[str]
) -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:b"), edge("r:a", "r:c", "explains")])
    plan = expand(place, "r:a", relations=relations)
    assert {expansion.document_id for expansion in plan.expanded_documents} == reached
    assert plan.constraints.relations == relations


@pytest.mark.requirement(21)
def test_containment_is_not_followed_unless_it_is_named() -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:b", "contains")])
    assert expand(place, "r:a").order == ("r:a",)
    assert expand(place, "r:a", relations=("contains",)).order == ("r:a", "r:b")


@pytest.mark.requirement(22)
@given(many_seeds, many_edges, st.integers(1, 12), st.integers(1, 12))
def test_a_plan_never_has_more_documents_than_its_limit(
    ids: list[str], found: list[Relationship], documents: int, seeds_limit: int
) -> None:
    plan = expand(
        world(*PLACE, edges=found),
        *ids,
        max_documents=documents,
        max_seed_documents=seeds_limit,
    )
    assert len(plan.documents) <= documents
    assert (plan.constraints.max_documents, plan.constraints.max_seed_documents) == (
        documents,
        seeds_limit,
    )


@pytest.mark.requirement(22)
@given(many_seeds, many_edges, st.integers(1, 8), st.integers(1, 8))
def test_every_candidate_is_planned_or_cut_and_never_both(
    ids: list[str], found: list[Relationship], documents: int, seeds_limit: int
) -> None:
    place = world(*PLACE, edges=found)
    plan = expand(place, *ids, max_documents=documents, max_seed_documents=seeds_limit)
    cut = [one.document_id for one in plan.cut]
    assert len(set(cut)) == len(cut)
    assert not roots(cut) & set(plan.documents)
    assert {one.limit for one in plan.cut} <= {f"max_documents={documents}"}
    speaking = tuple(dict.fromkeys(roots_in_order(ids)))[: min(seeds_limit, documents)]
    first = tuple(node for node in ids if roots((node,)) <= set(speaking))
    edges_out = edges_from(first, place.graph, None)
    reached = {expansion.document_id for expansion in neighbours(first, edges_out)}
    assert set(plan.documents) | roots(cut) == roots(ids) | reached


def roots_in_order(ids: list[str]) -> list[str]:
    return [node.partition("#")[0] for node in ids]


@pytest.mark.requirement(22)
@given(many_seeds, many_edges, st.integers(1, 8), st.integers(1, 8))
def test_the_order_names_seeds_and_expanded_documents_once_each(
    ids: list[str], found: list[Relationship], documents: int, seeds_limit: int
) -> None:
    plan = expand(
        world(*PLACE, edges=found),
        *ids,
        max_documents=documents,
        max_seed_documents=seeds_limit,
    )
    expanded = tuple(expansion.document_id for expansion in plan.expanded_documents)
    assert sorted(plan.order) == sorted(plan.seed_documents + expanded)
    assert not roots(plan.seed_documents) & set(expanded)
    assert tuple(node for node in ids if node in plan.seed_documents) == plan.seed_documents


@pytest.mark.requirement(22)
def test_seeds_take_at_most_three_places_while_neighbours_need_the_rest() -> None:
    plan = expand(star("r:g", "r:h", "r:i", "r:j"), *(f"r:{name}" for name in "abcdef"))
    assert plan.seed_documents == ("r:a", "r:b", "r:c")
    assert plan.order == ("r:a", "r:b", "r:c", "r:g", "r:h", "r:i")
    assert [one.document_id for one in plan.cut] == ["r:j", "r:d", "r:e", "r:f"]
    assert {one.limit for one in plan.cut} == {"max_documents=6"}


@pytest.mark.requirement(22)
def test_places_that_neighbours_leave_free_go_to_further_seeds() -> None:
    plan = expand(star("r:g"), *(f"r:{name}" for name in "abcdef"))
    assert plan.order == ("r:a", "r:b", "r:c", "r:g", "r:d", "r:e")
    assert plan.seed_documents == ("r:a", "r:b", "r:c", "r:d", "r:e")
    assert [one.document_id for one in plan.cut] == ["r:f"]


@pytest.mark.requirement(22)
def test_a_further_seed_that_is_a_neighbour_takes_one_place_by_its_edge() -> None:
    plan = expand(star("r:e"), *(f"r:{name}" for name in "abcdef"))
    assert plan.order == ("r:a", "r:b", "r:c", "r:e", "r:d", "r:f")
    assert "r:e" not in plan.seed_documents
    assert plan.rule_for("r:e") == "r:a ->references-> r:e (depth 1)"


@pytest.mark.requirement(22)
def test_only_the_first_seeds_lead_to_neighbours() -> None:
    plan = expand(star("r:g", source="r:d"), *(f"r:{name}" for name in "abcd"))
    assert plan.order == ("r:a", "r:b", "r:c", "r:d")


@pytest.mark.requirement(22)
def test_sections_count_as_their_document() -> None:
    place = star("r:g", "r:h")
    plan = expand(place, "r:a#x", "r:a#y", "r:b", "r:c", max_documents=4)
    assert plan.documents == ("r:a", "r:b", "r:c")
    assert plan.order == ("r:a#x", "r:a#y", "r:b", "r:c")
    assert expand(place, "r:a", "r:a#x", "r:b", max_documents=3).documents == ("r:a", "r:b", "r:g")


@pytest.mark.requirement(25)
@given(many_seeds, st.integers(1, 6))
def test_without_relations_the_plan_equals_that_of_the_seeds_alone(
    ids: list[str], seeds_limit: int
) -> None:
    plan = expand(world(*PLACE), *ids, max_seed_documents=seeds_limit)
    alone = plan_seeds(ask("why?"), seeds(*ids))
    assert (plan.order, plan.seed_documents) == (alone.order, alone.seed_documents)
    assert plan.cut == alone.cut
    assert [plan.rule_for(node) for node in plan.order] == [
        alone.rule_for(node) for node in alone.order
    ]


@pytest.mark.requirement(25)
@given(many_seeds, many_edges)
def test_an_empty_allow_list_is_as_good_as_no_relations(
    ids: list[str], found: list[Relationship]
) -> None:
    some = expand(world(*PLACE, edges=found), *ids, relations=())
    none = expand(world(*PLACE), *ids, relations=())
    assert some == none


def meaning_of(name: str) -> Meaning:
    return {"b": EAST, "c": NORTH, "d": towards(0.7)}.get(name, NORTH)


def test_neighbours_are_admitted_by_their_own_similarity_or_by_first_mention() -> None:
    place = world(
        *(document(f"r:{name}", meaning=meaning_of(name)) for name in NAMES),
        edges=[edge("r:a", "r:b", at=1), edge("r:a", "r:d", at=2), edge("r:a", "r:c", at=3)],
    )
    near = expand(place, "r:a", admit="similarity")
    assert near.order == ("r:a", "r:c", "r:d", "r:b")
    assert near.constraints.admit == "similarity"
    said_first = expand(place, "r:a", admit="first_mention")
    assert said_first.order == ("r:a", "r:b", "r:d", "r:c")
    assert said_first.constraints.admit == "first_mention"


def test_first_mention_goes_by_seed_before_place() -> None:
    place = world(*PLACE, edges=[edge("r:b", "r:d", at=1), edge("r:a", "r:c", at=9)])
    assert expand(place, "r:a", "r:b", admit="first_mention").order[2:] == ("r:c", "r:d")


def test_a_part_of_a_section_has_its_documents_first_position() -> None:
    book = document("r:book", parts=(Part("#x", parts=(Part("#inner"),)), Part("#y")))
    place = world(book, *PLACE, edges=[edge("r:book#inner", "r:d", at=9), edge("r:b", "r:c", at=1)])
    plan = expand(place, "r:book#x", "r:b", "r:book#y", admit="first_mention")
    assert [found.document_id for found in plan.expanded_documents] == ["r:d", "r:c"]


def test_equally_near_neighbours_go_by_id() -> None:
    plan = expand(star("r:j", "r:h", "r:i"), "r:a")
    assert plan.order == ("r:a", "r:h", "r:i", "r:j")


def test_no_relation_weighs_more_than_another() -> None:
    for relations in (("calls", "mentions"), ("mentions", "calls")):
        place = world(*PLACE, edges=[edge("r:a", "r:b", relations[0])])
        more = world(*PLACE, edges=[*place.edges, edge("r:a", "r:c", relations[1])])
        assert expand(more, "r:a").order == ("r:a", "r:b", "r:c")


@pytest.mark.requirement(24)
def test_without_a_question_neighbours_stay_in_order_of_first_mention() -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:c", at=1), edge("r:a", "r:b", at=2)])
    plan = expand(place, "r:a", question=ask("", None))
    assert plan.order == ("r:a", "r:c", "r:b")
    assert plan.query_vector == ()


@pytest.mark.requirement(26)
def test_no_seeds_is_an_empty_plan() -> None:
    plan = expand(star("r:b"))
    assert (plan.order, plan.cut) == ((), ())


@pytest.mark.requirement(36)
@given(many_seeds, many_edges, st.frozensets(st.sampled_from([f"r:{n}" for n in NAMES])))
def test_hidden_documents_change_no_byte_of_a_plan(
    ids: list[str], found: list[Relationship], hidden: frozenset[str]
) -> None:
    seen = [node for node in ids if not roots((node,)) & hidden]
    among = world(*PLACE, edges=found, hidden=hidden)
    alone = world(
        *(held for held in PLACE if held.id not in hidden),
        edges=[e for e in found if not roots((e.edge.source, e.edge.target)) & hidden],
    )
    assert expand(among, *seen).digest == expand(alone, *seen).digest


@pytest.mark.requirement(7)
@given(many_seeds, many_edges, st.randoms(use_true_random=False))
def test_the_order_of_rows_in_a_store_does_not_show(
    ids: list[str], found: list[Relationship], chance: Any
) -> None:
    before = expand(world(*PLACE, edges=found), *ids)
    documents = list(PLACE)
    chance.shuffle(found)
    chance.shuffle(documents)
    assert expand(world(*documents, edges=found), *ids) == before


@pytest.mark.requirement(22)
@pytest.mark.requirement(41)
def test_a_plan_past_its_limit_violates_the_contract() -> None:
    plan = expand(star("r:b", "r:c"), "r:a")
    assert within_limits(plan)
    assert not within_limits(replace(plan, constraints=replace(plan.constraints, max_documents=2)))


def test_an_edge_that_lost_admits_nothing() -> None:
    long = Relationship(Edge("r:a", "mentions", "r:b"), ("titles",), (evidence_at("the guide", 4),))
    short = Relationship(Edge("r:a", "mentions", "r:c"), ("titles",), (evidence_at("guide", 8),))
    assert expand(world(*PLACE, edges=[long, short]), "r:a").order == ("r:a", "r:b")
