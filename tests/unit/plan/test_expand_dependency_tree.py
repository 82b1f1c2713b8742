"""Breadth first along named edges, to a hard depth."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.model.edge import Relationship
from docgraph.model.errors import PreconditionViolation
from docgraph.model.plan import Expansion, RetrievalPlan
from docgraph.plan.expand_dependency_tree import expand_dependency_tree, within_bounds
from docgraph.plan.resolved_edges import outgoing_edges
from tests.support.memory_world import World, world
from tests.support.sample_documents import Part, ask, document, edge, roots, seeds

NAMES = "abcdefgh"
PLACE = tuple(document(f"r:{name}", parts=(Part("::f"), Part("::g"))) for name in NAMES)
nodes = st.from_regex(r"r:[a-h](::[fg])?", fullmatch=True)
many_edges = st.lists(
    st.builds(edge, nodes, nodes, st.sampled_from(["calls", "imports"]), st.integers(0, 9)),
    max_size=25,
    unique_by=lambda found: found.edge,
)
many_seeds = st.lists(nodes, unique=True, min_size=1, max_size=6)


def grow(place: World, *ids: str, **options: Any) -> RetrievalPlan:
    inputs = (ask("why?"), seeds(*ids), place.graph)
    plan = contract_of(expand_dependency_tree).call(inputs, options)
    assert isinstance(plan, RetrievalPlan)
    return plan


def chain(*steps: str) -> World:
    """chain("ab", "bc") has edges a → b → c."""
    return world(*PLACE, edges=[edge(f"r:{s[0]}", f"r:{s[1]}", "calls") for s in steps])


def depths(plan: RetrievalPlan) -> dict[str, int]:
    return {found.document_id: found.depth for found in plan.expanded_documents}


@pytest.mark.requirement(20)
def test_a_tree_grows_level_by_level_to_its_depth() -> None:
    place = chain("ab", "bc", "cd", "ae")
    assert grow(place, "r:a").order == ("r:a", "r:b", "r:e", "r:c")
    assert depths(grow(place, "r:a", max_depth=3)) == {"r:b": 1, "r:e": 1, "r:c": 2, "r:d": 3}
    assert depths(grow(place, "r:a", max_depth=0)) == {}


@pytest.mark.requirement(26)
@pytest.mark.requirement(41)
def test_a_tree_without_seeds_is_refused_by_the_contract() -> None:
    message = "some_seeds: A tree grows from one seed or more"
    with pytest.raises(PreconditionViolation, match=message):
        grow(chain("ab"))


@pytest.mark.requirement(20)
def test_the_limits_of_a_tree_are_in_the_plan() -> None:
    limits = grow(chain("ab"), "r:a", max_depth=4, direction="both", relations=("calls",))
    assert limits.constraints.traversal_enabled is True
    assert limits.constraints.max_relationship_depth == 4
    assert limits.constraints.direction == "both"
    assert limits.constraints.relations == ("calls",)
    assert limits.constraints.max_nodes == 40
    assert limits.constraints.admit == "breadth_first"


@pytest.mark.requirement(20)
def test_a_cycle_is_walked_once() -> None:
    plan = grow(chain("ab", "bc", "ca", "bb"), "r:a", max_depth=5)
    assert plan.order == ("r:a", "r:b", "r:c")


@pytest.mark.requirement(20)
@given(many_seeds, many_edges, st.integers(0, 5), st.sampled_from(["out", "in", "both"]))
def test_every_node_is_reached_once_and_by_the_shortest_way(
    ids: list[str], found: list[Relationship], max_depth: int, direction: str
) -> None:
    plan = grow(world(*PLACE, edges=found), *ids, max_depth=max_depth, direction=direction)
    assert len(set(plan.order)) == len(plan.order)
    assert plan.order[: len(ids)] == tuple(ids)
    reached = [expansion.depth for expansion in plan.expanded_documents]
    assert reached == sorted(reached)
    depth = dict.fromkeys(ids, 0) | depths(plan)
    for expansion in plan.expanded_documents:
        sender = expansion.target if expansion.backwards else expansion.source
        holders = [depth[node] for node in (sender, *roots((sender,))) if node in depth]
        assert expansion.depth - 1 in holders
        assert expansion.depth - 1 == min(holders)


@pytest.mark.requirement(5)
@pytest.mark.requirement(20)
def test_edges_are_followed_backwards_only_if_the_pipeline_sets_it() -> None:
    place = chain("ab", "ca")
    assert grow(place, "r:a", direction="out").order == ("r:a", "r:b")
    assert grow(place, "r:a", direction="in").order == ("r:a", "r:c")
    assert set(grow(place, "r:a", direction="both").order) == {"r:a", "r:b", "r:c"}


@pytest.mark.requirement(20)
@pytest.mark.requirement(33)
def test_an_edge_followed_backwards_is_marked() -> None:
    plan = grow(chain("ca"), "r:a", direction="in")
    assert plan.expanded_documents == (Expansion("r:c", "calls", "r:c", "r:a", 1, backwards=True),)


@pytest.mark.requirement(21)
@pytest.mark.parametrize(
    ("relations", "order"),
    [(None, ("r:a", "r:b", "r:c")), ((), ("r:a",)), (("imports",), ("r:a", "r:c"))],
)
def test_the_allow_list_absent_is_all_and_empty_is_none(
    relations: tuple[str, ...] | None, order: tuple[str, ...]
) -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:b", "calls"), edge("r:a", "r:c", "imports")])
    assert grow(place, "r:a", relations=relations).order == order


@pytest.mark.requirement(21)
def test_containment_is_walked_only_where_a_pipeline_names_it() -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:b", "contains")])
    assert grow(place, "r:a").order == ("r:a",)
    assert grow(place, "r:a", relations=("contains",)).order == ("r:a", "r:b")


@pytest.mark.requirement(22)
@given(many_seeds, many_edges, st.integers(1, 8), st.integers(0, 5))
def test_a_tree_never_grows_past_its_nodes_or_its_depth(
    ids: list[str], found: list[Relationship], max_nodes: int, max_depth: int
) -> None:
    plan = grow(world(*PLACE, edges=found), *ids, max_nodes=max_nodes, max_depth=max_depth)
    assert len(plan.order) <= max_nodes
    assert all(depth <= max_depth for depth in depths(plan).values())
    cut = [one.document_id for one in plan.cut]
    assert len(set(cut)) == len(cut)
    assert not set(cut) & set(plan.order)
    assert {one.limit for one in plan.cut} <= {f"max_nodes={max_nodes}"}


@pytest.mark.requirement(22)
def test_nodes_beyond_the_limit_are_recorded_once() -> None:
    place = chain("ab", "ac", "ad")
    plan = grow(place, "r:a", max_nodes=2)
    assert plan.order == ("r:a", "r:b")
    assert [(one.document_id, one.limit) for one in plan.cut] == [
        ("r:c", "max_nodes=2"),
        ("r:d", "max_nodes=2"),
    ]
    both = grow(place, "r:a", "r:b", max_nodes=1)
    assert [one.document_id for one in both.cut] == ["r:b", "r:c", "r:d"]


@pytest.mark.requirement(22)
@given(many_seeds, many_edges, st.integers(1, 8), st.integers(0, 4))
def test_what_a_planned_node_leads_to_is_planned_too_or_recorded_as_cut(
    ids: list[str], found: list[Relationship], max_nodes: int, max_depth: int
) -> None:
    place = world(*PLACE, edges=found)
    plan = grow(place, *ids, max_nodes=max_nodes, max_depth=max_depth)
    cut = {one.document_id for one in plan.cut}
    depth = dict.fromkeys(plan.seed_documents, 0) | depths(plan)
    for node in plan.order:
        if depth[node] < max_depth:
            for step in outgoing_edges(place.graph, (node,)):
                target = step.edge.target
                assert {target, *roots((target,))} & {*plan.order, *cut}


@pytest.mark.requirement(22)
def test_a_level_that_fills_the_tree_still_records_the_nodes_beyond_it() -> None:
    plan = grow(chain("ab", "bc", "cd"), "r:a", max_nodes=2, max_depth=3)
    assert plan.order == ("r:a", "r:b")
    assert [one.document_id for one in plan.cut] == ["r:c"]


@pytest.mark.requirement(20)
def test_a_symbol_inside_a_visited_document_is_not_added() -> None:
    place = world(*PLACE, edges=[edge("r:a", "r:b", at=1), edge("r:a", "r:b::f", at=2)])
    assert grow(place, "r:a").order == ("r:a", "r:b")


@pytest.mark.requirement(20)
def test_a_symbols_edges_are_its_own_and_a_documents_are_all_of_its_symbols() -> None:
    place = world(*PLACE, edges=[edge("r:a::f", "r:b::g", "calls"), edge("r:a", "r:c")])
    assert grow(place, "r:a::f").order == ("r:a::f", "r:b::g")
    assert grow(place, "r:a").order == ("r:a", "r:c", "r:b::g")


def test_steps_go_in_the_order_of_the_frontier_then_of_first_mention() -> None:
    place = world(
        *PLACE,
        edges=[edge("r:b", "r:c", at=1), edge("r:a", "r:e", at=2), edge("r:a", "r:d", at=7)],
    )
    assert grow(place, "r:a", "r:b").order[2:] == ("r:e", "r:d", "r:c")
    assert grow(place, "r:b", "r:a").order[2:] == ("r:c", "r:e", "r:d")


def test_a_methods_edges_have_the_position_of_its_class() -> None:
    code = document("r:m", parts=(Part("::A", parts=(Part("::A.b"),)), Part("::Z")))
    place = world(
        code,
        *PLACE,
        edges=[edge("r:m::Z", "r:c", at=1), edge("r:m::A.b", "r:d", at=9)],
    )
    assert grow(place, "r:m::A", "r:m::Z").order[2:] == ("r:d", "r:c")
    assert grow(place, "r:m::Z", "r:m::A").order[2:] == ("r:c", "r:d")


def test_a_class_does_not_contain_another_whose_name_it_begins() -> None:
    code = document("r:m", parts=(Part("::A"), Part("::AB")))
    place = world(code, *PLACE, edges=[edge("r:m::AB", "r:c", at=1), edge("r:a", "r:d", at=2)])
    assert grow(place, "r:m::A", "r:a", "r:m").order[3:] == ("r:d", "r:c")


def test_a_file_does_not_contain_another_whose_name_continues_with_a_dot() -> None:
    place = world(
        document("r:README"),
        document("r:README.md", parts=(Part("#x"),)),
        *PLACE,
        edges=[edge("r:README.md#x", "r:c", at=1), edge("r:a", "r:d", at=2)],
    )
    plan = grow(place, "r:README", "r:a", "r:README.md")
    assert plan.order[3:] == ("r:d", "r:c")


@pytest.mark.requirement(34)
def test_a_walk_never_passes_through_a_hidden_node() -> None:
    place = chain("ab", "bc")
    hidden = world(*place.documents, edges=place.edges, hidden=["r:b"])
    assert grow(hidden, "r:a").order == ("r:a",)


@pytest.mark.requirement(36)
@given(
    many_seeds,
    many_edges,
    st.frozensets(st.sampled_from([f"r:{name}" for name in NAMES])),
    st.sampled_from(["out", "in", "both"]),
)
def test_hidden_documents_change_no_byte_of_a_plan(
    ids: list[str], found: list[Relationship], hidden: frozenset[str], direction: str
) -> None:
    seen = [node for node in ids if not roots((node,)) & hidden]
    assume(seen)
    among = world(*PLACE, edges=found, hidden=hidden)
    alone = world(
        *(held for held in PLACE if held.id not in hidden),
        edges=[e for e in found if not roots((e.edge.source, e.edge.target)) & hidden],
    )
    options: dict[str, Any] = {"max_nodes": 5, "direction": direction}
    assert grow(among, *seen, **options).digest == grow(alone, *seen, **options).digest


@pytest.mark.requirement(25)
@given(many_seeds)
def test_without_relations_the_plan_is_its_seeds(ids: list[str]) -> None:
    plan = grow(world(*PLACE), *ids, max_depth=5, direction="both")
    assert plan.order == plan.seed_documents == tuple(ids)
    assert plan.cut == ()


@pytest.mark.requirement(20)
@pytest.mark.requirement(41)
def test_a_tree_past_its_bounds_violates_the_contract() -> None:
    plan = grow(chain("ab", "bc"), "r:a")
    assert within_bounds(plan)
    for tighter in (
        replace(plan.constraints, max_nodes=2),
        replace(plan.constraints, max_relationship_depth=1),
    ):
        assert not within_bounds(replace(plan, constraints=tighter))
