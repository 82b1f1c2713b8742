"""Which claim on the same words holds, decided over what the reader can see."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.edge import MANUAL, Edge, EdgeEvidence, Relationship
from docgraph.model.identifiers import MAX_TITLE_HOLDERS
from docgraph.model.link import MAX_EVIDENCE, EdgeCandidates
from docgraph.model.node import document_of
from docgraph.plan.ambiguity import resolve_ambiguity, surviving_spans
from docgraph.plan.resolved_edges import (
    all_resolved_edges,
    confirm_inverses,
    incident_edges,
    incoming_edges,
    outgoing_edges,
)
from tests.support.graph_edges import all_edges
from tests.support.memory_world import world
from tests.support.sample_documents import Part, document, edge, evidence_at

places = st.builds(
    lambda start, length, rank: EdgeEvidence("s.md", 1, start, start + length, rank, ""),
    st.integers(0, 6),
    st.integers(0, 4),
    st.integers(0, 2),
)
claims = st.builds(
    Relationship,
    st.builds(
        Edge,
        st.sampled_from(["r:s", "r:s#x", "r:t"]),
        st.sampled_from(["mentions", "references"]),
        st.sampled_from([f"r:{name}{inner}" for name in "abcde" for inner in ("", "#x")]),
    ),
    st.sampled_from([("mined",), (MANUAL,), (MANUAL, "mined")]),
    st.lists(places, max_size=3, unique=True).map(tuple),
)
many = st.lists(claims, max_size=10, unique_by=lambda found: found.edge).map(
    lambda found: tuple(sorted(found))
)


def claim(target: str, words: str, start: int, rank: int = 0, by: str = "titles") -> Relationship:
    return Relationship(Edge("r:s", "mentions", target), (by,), (evidence_at(words, start, rank),))


def targets(*found: Relationship) -> list[str]:
    return [winner.edge.target for winner in resolve_ambiguity(tuple(sorted(found)))]


@pytest.mark.requirement(3)
def test_positions_that_lose_do_not_use_up_the_limit_of_evidence() -> None:
    """A document names the city hall sixty times, then the city itself."""
    starts = range(0, 60 * 40, 40)
    hall = tuple(evidence_at("new york city hall", start, 0) for start in starts)
    inside = tuple(evidence_at("new york city", start, 0) for start in starts)
    alone = evidence_at("new york city", 9000, 0)
    edges = [Edge("r:s", "mentions", target) for target in ("r:city", "r:hall")]
    (city, found) = resolve_ambiguity(
        tuple(
            Relationship(one, ("titles",), shown)
            for one, shown in zip(edges, ((*inside, alone), hall), strict=True)
        )
    )
    assert (city.edge, city.evidence) == (edges[0], (alone,))
    assert (found.edge, found.evidence) == (edges[1], hall[:MAX_EVIDENCE])


@pytest.mark.requirement(3)
def test_all_resolved_edges_are_sorted_across_documents() -> None:
    """An id with `!` is sorted between a document and its section."""
    ids = ("r:a.md", "r:a.md!", "r:b.md")
    parts = (Part("#x"),)
    edges = [edge("r:a.md#x", "r:b.md"), edge("r:a.md!", "r:b.md"), edge("r:a.md", "r:b.md")]
    graph = world(*(document(one, parts=parts) for one in ids), edges=edges).graph
    found = [one.edge for one in all_resolved_edges(graph)]
    assert found == sorted(one.edge for one in edges)
    assert [one.source for one in found] == ["r:a.md", "r:a.md!", "r:a.md#x"]


@pytest.mark.requirement(3)
@given(many)
def test_edges_resolved_in_batches_are_those_resolved_at_once(
    found: tuple[Relationship, ...],
) -> None:
    ids = ("r:s", "r:t", *(f"r:{name}" for name in "abcde"))
    graph = world(*(document(one, parts=(Part("#x"),)) for one in ids), edges=found).graph
    at_once = confirm_inverses(resolve_ambiguity(all_edges(graph)), graph)
    assert tuple(all_resolved_edges(graph)) == at_once


@pytest.mark.requirement(3)
def test_the_longest_match_on_the_same_words_wins() -> None:
    longer, shorter = claim("r:long", "python guide", 10), claim("r:short", "python", 10)
    assert targets(longer, shorter) == ["r:long"]
    assert targets(shorter) == ["r:short"]
    for start in (12, 17):  # in the middle and at the end
        assert targets(longer, claim("r:short", "guide", start)) == ["r:long"]


def test_matches_that_only_overlap_both_survive() -> None:
    assert targets(claim("r:a", "0123456789", 0), claim("r:b", "567890123", 5)) == ["r:a", "r:b"]


def test_then_the_lowest_rank_wins() -> None:
    assert targets(claim("r:a", "python", 10, rank=1), claim("r:b", "python", 10)) == ["r:b"]
    near, far = (
        Relationship(Edge("r:s", "imports", node), ("imports",), (evidence_at("gate", 3, rank),))
        for rank, node in enumerate(("r:a", "r:b"))
    )
    assert targets(near, far) == ["r:a"]


def test_a_title_with_too_many_bearers_names_none_of_them() -> None:
    assert MAX_TITLE_HOLDERS == 8
    bearers = [claim(f"r:{n:02}", "guide", 10) for n in range(MAX_TITLE_HOLDERS + 1)]
    assert len(targets(*bearers[:-1])) == MAX_TITLE_HOLDERS
    assert targets(*bearers) == []


def test_any_other_relation_has_one_target_or_none() -> None:
    one, two = (
        Relationship(Edge("r:s", "imports", node), ("imports",), (evidence_at("gate", 3),))
        for node in ("r:a", "r:b")
    )
    assert targets(one) == ["r:a"]
    assert targets(one, two) == []


def test_two_sections_of_one_document_are_one_target() -> None:
    one, two = (
        Relationship(Edge("r:s", "references", node), ("links",), (evidence_at("gate", 3),))
        for node in ("r:a#x", "r:a#y")
    )
    assert targets(one, two) == ["r:a#x", "r:a#y"]


def test_words_that_name_a_part_of_a_document_do_not_name_the_whole_of_it() -> None:
    whole, part = (
        Relationship(Edge("r:s", "references", node), ("links",), (evidence_at("gate", 3),))
        for node in ("r:a", "r:a#x")
    )
    assert targets(whole, part) == ["r:a#x"]
    assert targets(whole) == ["r:a"]
    elsewhere = Relationship(
        whole.edge, ("links",), (evidence_at("gate", 3), evidence_at("gate", 30))
    )
    assert [found.evidence for found in resolve_ambiguity((elsewhere, part))] == [
        (evidence_at("gate", 30),),
        (evidence_at("gate", 3),),
    ]


def test_different_relations_do_not_compete() -> None:
    mention = claim("r:a", "python", 10)
    link = Relationship(
        Edge("r:s", "references", "r:b"), ("links",), (evidence_at("python guide", 10),)
    )
    assert targets(mention, link) == ["r:a", "r:b"]


def test_matches_in_a_documents_sections_compete_with_each_other() -> None:
    inner = Relationship(
        Edge("r:s#x", "mentions", "r:b"), ("titles",), (evidence_at("python", 10),)
    )
    assert targets(claim("r:a", "python guide", 10), inner) == ["r:a"]


def test_an_edge_keeps_only_the_evidence_that_won() -> None:
    twice = Relationship(
        Edge("r:s", "mentions", "r:b"),
        ("titles",),
        (evidence_at("python", 10), evidence_at("python", 50)),
    )
    (_, kept) = resolve_ambiguity((claim("r:a", "python guide", 10), twice))
    assert kept.evidence == (evidence_at("python", 50),)


@pytest.mark.requirement(3)
def test_a_manual_edge_survives_where_the_mined_one_lost() -> None:
    both = Relationship(
        Edge("r:s", "mentions", "r:b"), (MANUAL, "titles"), (evidence_at("python", 10),)
    )
    assert resolve_ambiguity((claim("r:a", "python guide", 10), both))[1] == Relationship(
        both.edge, (MANUAL,), ()
    )


@pytest.mark.requirement(3)
def test_a_stated_edge_loses_with_a_mined_one_that_says_the_same() -> None:
    """Unless it is manual: an imported one is no more than what the text shows."""
    longer = EdgeCandidates("r:s", "mentions", (("r:a", 0),), ((10, 22),))
    shorter = EdgeCandidates("r:s", "mentions", (("r:b", 0),), ((10, 16),))
    stated = EdgeCandidates("r:s", "mentions", (("r:b", 0),), ())
    won, same = ("r:s", "mentions", "r:a"), ("r:s", "mentions", "r:b")
    assert surviving_spans([longer, shorter, stated]) == {won: [(10, 22, 0)]}
    assert surviving_spans([longer, stated]) == {won: [(10, 22, 0)], same: []}
    manual = stated._replace(manual=True)
    assert surviving_spans([longer, shorter, manual]) == {won: [(10, 22, 0)], same: []}


def test_an_edge_without_evidence_does_not_compete() -> None:
    assert targets(edge("r:s", "r:a", "mentions"), claim("r:b", "python", 0)) == ["r:a", "r:b"]
    noted = (
        Relationship(Edge("r:s", "imports", node), (MANUAL,), (evidence_at("", 0),))
        for node in ("r:a", "r:b")
    )
    assert targets(*noted) == ["r:a", "r:b"]


@pytest.mark.requirement(7)
@given(many, st.randoms(use_true_random=False))
def test_settling_does_not_depend_on_the_order_of_edges(
    found: tuple[Relationship, ...], chance: random.Random
) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert tuple(sorted(resolve_ambiguity(tuple(shuffled)))) == resolve_ambiguity(found)


@given(many)
def test_settling_twice_changes_nothing_more(found: tuple[Relationship, ...]) -> None:
    once = resolve_ambiguity(found)
    assert resolve_ambiguity(once) == once


@given(many)
def test_settling_invents_nothing(found: tuple[Relationship, ...]) -> None:
    stored = {relationship.edge: relationship for relationship in found}
    for winner in resolve_ambiguity(found):
        assert set(winner.evidence) <= set(stored[winner.edge].evidence)
        assert set(winner.origins) <= set(stored[winner.edge].origins)


@given(many, st.sampled_from("abcde"))
def test_an_edge_of_another_source_decides_nothing(
    found: tuple[Relationship, ...], target: str
) -> None:
    stranger = Relationship(
        Edge("r:stranger", "mentions", f"r:{target}"), ("m",), (evidence_at("very long claim", 0),)
    )
    assert resolve_ambiguity((*found, stranger)) == (*resolve_ambiguity(found), stranger)


@pytest.mark.requirement(36)
@given(many, st.frozensets(st.sampled_from([f"r:{name}" for name in "abcde"])))
def test_an_edge_that_is_not_visible_changes_nothing(
    found: tuple[Relationship, ...], hidden: frozenset[str]
) -> None:
    documents = [document("r:s", parts=(Part("#x"),)), document("r:t")]
    documents += [document(f"r:{name}", parts=(Part("#x"),)) for name in "abcde"]
    seen = tuple(r for r in found if document_of(r.edge.target) not in hidden)
    among = world(*documents, edges=found, hidden=hidden).graph
    alone = world(*(d for d in documents if d.id not in hidden), edges=seen).graph
    for nodes in (("r:s",), ("r:s#x",), ("r:t", "r:s")):
        assert outgoing_edges(among, nodes) == outgoing_edges(alone, nodes)
    assert incoming_edges(among, ("r:a", "r:b")) == incoming_edges(alone, ("r:a", "r:b"))


def test_outgoing_edges_of_a_section_are_resolved_within_the_whole_document() -> None:
    graph = world(
        document("r:s", parts=(Part("#x"),)),
        document("r:a"),
        document("r:b"),
        edges=[
            claim("r:a", "python guide", 10),
            Relationship(
                Edge("r:s#x", "mentions", "r:b"), ("titles",), (evidence_at("python", 10),)
            ),
        ],
    ).graph
    assert outgoing_edges(graph, ("r:s#x",)) == ()
    assert [found.edge.target for found in outgoing_edges(graph, ("r:s",))] == ["r:a"]


@pytest.mark.requirement(20)
def test_incoming_edges_are_resolved_in_their_source_document() -> None:
    graph = world(
        document("r:s"),
        document("r:a"),
        document("r:b"),
        edges=[claim("r:a", "python guide", 10), claim("r:b", "python", 10)],
    ).graph
    assert incoming_edges(graph, ("r:b",)) == ()
    assert [found.edge.source for found in incoming_edges(graph, ("r:a",))] == ["r:s"]


def lifecycle(*forward: Relationship) -> tuple[Relationship, ...]:
    """As mining stores them: the inverse says where, but its own text holds no such words."""
    inverses = tuple(
        Relationship(
            Edge(found.edge.target, "superseded_by", found.edge.source),
            found.origins,
            tuple(EdgeEvidence(e.path, e.line, 0, 0, e.rank, e.text) for e in found.evidence),
        )
        for found in forward
    )
    return tuple(sorted((*forward, *inverses)))


def superseding(target: str, rank: int = 0) -> Relationship:
    return Relationship(
        Edge("r:new", "supersedes", target), ("headers",), (evidence_at("ADR", 5, rank),)
    )


@pytest.mark.requirement(5)
def test_an_inverse_survives_only_with_its_forward_edge() -> None:
    store = world(
        *(document(f"r:{name}") for name in ("new", "old", "other")),
        edges=lifecycle(superseding("r:old"), superseding("r:other", rank=1)),
    )
    assert [f.edge.target for f in outgoing_edges(store.graph, ("r:old",))] == ["r:new"]
    assert outgoing_edges(store.graph, ("r:other",)) == ()
    assert [f.edge.source for f in incoming_edges(store.graph, ("r:new",))] == ["r:old"]


@pytest.mark.requirement(5)
def test_a_tie_without_a_winner_leaves_no_inverse() -> None:
    store = world(
        *(document(f"r:{name}") for name in ("new", "old", "other")),
        edges=lifecycle(superseding("r:old"), superseding("r:other")),
    )
    assert outgoing_edges(store.graph, ("r:new",)) == ()
    assert outgoing_edges(store.graph, ("r:old", "r:other")) == ()


@pytest.mark.requirement(5)
def test_a_manual_inverse_survives() -> None:
    manual = Relationship(Edge("r:new", "supersedes", "r:old"), (MANUAL,), ())
    store = world(document("r:new"), document("r:old"), edges=lifecycle(manual))
    assert [f.edge.target for f in outgoing_edges(store.graph, ("r:old",))] == ["r:new"]


@pytest.mark.requirement(5)
@pytest.mark.requirement(21)
def test_an_inverse_can_be_followed_alone() -> None:
    only = frozenset({"superseded_by"})
    store = world(
        *(document(f"r:{name}") for name in ("new", "old", "other")),
        edges=lifecycle(superseding("r:old"), superseding("r:other", rank=1)),
    )
    assert [f.edge.target for f in outgoing_edges(store.graph, ("r:old", "r:other"), only)] == [
        "r:new"
    ]
    assert [f.edge.source for f in incoming_edges(store.graph, ("r:new",), only)] == ["r:old"]


@pytest.mark.requirement(21)
def test_other_relations_are_not_returned() -> None:
    store = world(
        *(document(f"r:{name}") for name in "abc"),
        edges=[edge("r:a", "r:b", "mentions", at=1), edge("r:a", "r:c", "references", at=1)],
    )
    for relations, reached in (
        (None, ["r:b", "r:c"]),
        (frozenset({"mentions"}), ["r:b"]),
        (frozenset[str](), []),
    ):
        assert [f.edge.target for f in outgoing_edges(store.graph, ("r:a",), relations)] == reached


@given(many)
def test_what_touches_a_node_is_what_of_all_edges_does(found: tuple[Relationship, ...]) -> None:
    documents = [document(f"r:{name}", parts=(Part("#x"),)) for name in "abcdest"]
    graph = world(*documents, edges=found).graph
    known = confirm_inverses(resolve_ambiguity(all_edges(graph)), graph)
    for node in ("r:s", "r:s#x", "r:a", "r:a#x", "r:none"):
        ends = {one: (one.edge.source, one.edge.target) for one in known}
        own = tuple(
            one for one in known if node in (*ends[one], *(document_of(end) for end in ends[one]))
        )
        assert incident_edges(node, graph) == own
