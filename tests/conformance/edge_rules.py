"""How halves of edges meet in every store: over visible documents, and in both directions."""

import random
from dataclasses import replace

import pytest

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.document import Document
from docgraph.model.edge import INVERSES, MANUAL, MINED_RELATIONS, Edge, EdgeEvidence, Relationship
from docgraph.model.link import MAX_EVIDENCE, candidates_of
from docgraph.model.node import document_of
from docgraph.model.reference import Definition, ReferenceCount
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import Store
from tests.conformance.published import edges_of, listed, publish
from tests.conformance.store_rules import HIDDEN, NOWHERE, writing
from tests.support.expected_edges import expected_edges
from tests.support.graph_edges import all_edges, ungrouped
from tests.support.small_world import document, name_holder, reference, statements_of


def with_symbols(found: Document) -> Document:
    """The same document, its sections turned into symbols."""
    nodes = tuple(replace(node, id=node.id.replace("#", "::")) for node in found.nodes)
    chunks = tuple(
        replace(chunk, id=chunk.id.replace("#", "::"), node=chunk.node.replace("#", "::"))
        for chunk in found.chunks
    )
    return replace(found, nodes=nodes, chunks=chunks)


class EdgeRules:
    """Subclasses provide the fixture `store`."""

    @pytest.mark.requirement(3)
    def test_a_reference_and_a_definition_of_one_key_are_an_edge_with_its_position(
        self, store: Store
    ) -> None:
        publish(
            store,
            document("a.md", "a", references=[reference("r:a.md", "k", at=7, text="this")]),
            document("b.md", "b", definitions={"k": 0, "other": 0}),
            document("c.md", "c", definitions={"other": 0}),
        )
        (found,) = listed(store)
        assert found.edge == Edge("r:a.md", "references", "r:b.md")
        assert found.origins == ("links",)
        assert found.evidence == (EdgeEvidence("a.md", 1, 7, 11, 0, "this"),)

    @pytest.mark.requirement(34)
    @pytest.mark.requirement(36)
    @pytest.mark.parametrize("hidden", ["a.md", "b.md"])
    def test_a_reference_resolves_only_where_both_documents_are_visible(
        self, store: Store, hidden: str
    ) -> None:
        rules = {"a.md": LOCAL_ONLY, "b.md": LOCAL_ONLY} | {hidden: HIDDEN}
        publish(
            store,
            document("a.md", "a", rule=rules["a.md"], references=[reference("r:a.md", "k")]),
            document("b.md", "b", rule=rules["b.md"], definitions={"k": 0}),
        )
        assert edges_of(store) == []
        with writing(store) as writes:
            writes.access.set_statements({hidden: statements_of(LOCAL_ONLY)})
            writes.publish()
        assert edges_of(store) == [("r:a.md", "references", "r:b.md")]

    def test_halves_meet_only_within_one_branch(self, store: Store) -> None:
        mine = document("a.md", "a", references=[reference("r:a.md", "k")])
        publish(store, mine, document("b.md", "b"))
        publish(store, mine, document("b.md", "b", definitions={"k": 0}), branch="topic")
        publish(store, document("b.md", "b", repository="q", definitions={"k": 0}), repository="q")
        publish(store, document("b.md", "b", definitions={"k": 0}), tenant="elsewhere")
        assert edges_of(store) == []
        assert edges_of(store, SnapshotSelector("r", "topic")) == [
            ("r:a.md", "references", "r:b.md")
        ]

    def test_an_inner_node_is_the_target_if_it_exists_else_its_document_unless_strict(
        self, store: Store
    ) -> None:
        references = [
            reference("r:a.md", "k", at=0, inner="#s1"),
            reference("r:a.md", "k", at=10, inner="#s1", strict=True),
            reference("r:a.md", "k", at=20, inner="#gone"),
            reference("r:a.md", "k", at=30, inner="#gone", strict=True),
        ]
        publish(
            store,
            document("a.md", "a", references=references),
            document("b.md", "one", "two", sections=True, definitions={"k": 0}),
        )
        whole, part = listed(store)
        assert (whole.edge.target, [e.start for e in whole.evidence]) == ("r:b.md", [20])
        assert (part.edge.target, [e.start for e in part.evidence]) == ("r:b.md#s1", [0, 10])

    @pytest.mark.requirement(36)
    def test_an_inner_node_is_looked_up_in_the_visible_version(self, store: Store) -> None:
        publish(
            store,
            document("a.md", "a", references=[reference("r:a.md", "k", inner="#s1")]),
            document("b.md", "one", "two", sections=True, definitions={"k": 0}),
        )
        publish(store, document("b.md", "one", sections=True, definitions={"k": 0}))
        assert edges_of(store) == [("r:a.md", "references", "r:b.md")]
        assert edges_of(store, SnapshotSelector("r", "main", 1)) == [
            ("r:a.md", "references", "r:b.md#s1")
        ]

    def test_the_rank_is_the_sum_of_both_ranks_and_of_the_path_distance_where_it_counts(
        self, store: Store
    ) -> None:
        references = [
            reference("r:x/y/a.md", "k", at=0, rank=3),
            reference("r:x/y/a.md", "k", at=10, rank=3, distance_weight=10),
        ]
        publish(
            store,
            document("x/y/a.md", "a", references=references),
            document("x/b.md", "b", definitions={"k": 0}),
            document("z/c.md", "c", definitions={"k": 5}),
        )
        ranks = {f.edge.target: [e.rank for e in f.evidence] for f in listed(store)}
        assert ranks == {"r:x/b.md": [3, 13], "r:z/c.md": [8, 38]}

    def test_of_several_definitions_of_a_key_by_one_node_the_best_counts(
        self, store: Store
    ) -> None:
        twice = (
            Definition("k", "", 5),
            Definition("k", "", 2),
            Definition("k", "", 9),
        )
        publish(
            store,
            document("a.md", "a", references=[reference("r:a.md", "k")]),
            replace(document("b.md", "b"), definitions=twice),
        )
        (found,) = listed(store)
        assert [e.rank for e in found.evidence] == [2]

    def test_many_references_to_one_node_are_one_edge_with_all_as_evidence(
        self, store: Store
    ) -> None:
        many = [reference("r:a.md", "k", at=10 * n) for n in range(MAX_EVIDENCE + 9, -1, -1)]
        publish(
            store,
            document("a.md", "a", references=many),
            document("b.md", "b", definitions={"k": 0}),
        )
        (found,) = listed(store)
        assert [e.start for e in found.evidence] == [10 * n for n in range(MAX_EVIDENCE + 10)]

    def test_every_miner_that_finds_the_same_characters_is_an_origin(self, store: Store) -> None:
        references = [
            reference("r:a.md", "k", miner="headers", rank=9),
            reference("r:a.md", "k", miner="identifiers"),
        ]
        publish(
            store,
            document("a.md", "a", references=references),
            document("b.md", "b", definitions={"k": 0}),
        )
        (found,) = listed(store)
        assert found.origins == ("headers", "identifiers")
        assert [e.rank for e in found.evidence] == [0, 9]
        publish(store, miners=ALL_MINERS - {"headers"})
        (found,) = listed(store)
        assert (found.origins, [e.rank for e in found.evidence]) == (("identifiers",), [0])

    @pytest.mark.requirement(3)
    def test_a_document_does_not_speak_of_itself_but_code_calls_its_own(self, store: Store) -> None:
        page = [reference("r:a.md", "k"), reference("r:a.md#s0", "k", inner="#s1")]
        code = [
            reference("r:b.py::s0", "c", "calls", inner="::s1"),
            reference("r:b.py::s0", "c", "calls", inner="::s0", at=9),
        ]
        referring = document(
            "a.md", "one", "two", sections=True, definitions={"k": 0}, references=page
        )
        called = document(
            "b.py", "one", "two", sections=True, definitions={"c": 0}, references=code
        )
        publish(store, referring, with_symbols(called))
        assert edges_of(store) == [("r:b.py::s0", "calls", "r:b.py::s1")]

    @pytest.mark.requirement(5)
    @pytest.mark.parametrize("relation", sorted(INVERSES))
    def test_a_lifecycle_reference_gives_both_directions_with_the_same_evidence(
        self, store: Store, relation: str
    ) -> None:
        new = reference("r:new.md", "k", relation, at=5, text="old.md", miner="headers", rank=2)
        publish(
            store,
            document("new.md", "new", references=[new]),
            document("old.md", "old", definitions={"k": 0}),
        )
        there = Relationship(
            Edge("r:new.md", relation, "r:old.md"),
            ("headers",),
            (EdgeEvidence("new.md", 1, 5, 11, 2, "old.md"),),
        )
        back = Relationship(
            Edge("r:old.md", INVERSES[relation], "r:new.md"),
            ("headers",),
            (EdgeEvidence("new.md", 1, 0, 0, 0, "old.md"),),
        )
        with store.open_session(local()) as reads:
            assert reads.graph.edges(("r:new.md",)) == (there,)
            assert reads.graph.edges(("r:new.md",), "in") == (back,)
            assert reads.graph.edges(("r:old.md",)) == (back,)
            assert reads.graph.edges(("r:old.md",), "in") == (there,)
            assert reads.graph.edges(("r:old.md",), "out", frozenset({relation})) == ()
            assert all_edges(reads.graph) == tuple(sorted((there, back)))

    def test_references_of_both_documents_are_one_edge_with_the_evidence_of_both(
        self, store: Store
    ) -> None:
        publish(
            store,
            document(
                "a.md",
                "a",
                definitions={"a": 0},
                references=[reference("r:a.md", "b", "supersedes")],
            ),
            document(
                "b.md",
                "b",
                definitions={"b": 0},
                references=[reference("r:b.md", "a", "superseded_by")],
            ),
        )
        forward, back = listed(store)
        assert [(e.path, e.end) for e in forward.evidence] == [("a.md", 4), ("b.md", 0)]
        assert [(e.path, e.end) for e in back.evidence] == [("a.md", 0), ("b.md", 4)]

    @pytest.mark.requirement(21)
    def test_containment_is_returned_only_on_request(self, store: Store) -> None:
        publish(store, document("a.md", "one", "two", sections=True), document("b.md", "b"))
        only = frozenset({"contains"})
        assert listed(store) == ()
        assert [f.edge for f in listed(store, relations=only)] == [
            Edge("r:a.md", "contains", "r:a.md#s0"),
            Edge("r:a.md", "contains", "r:a.md#s1"),
        ]
        with store.open_session(local()) as reads:
            assert reads.graph.edges(("r:a.md",)) == ()
            assert len(reads.graph.edges(("r:a.md",), "out", only)) == 2
            (one,) = reads.graph.edges(("r:a.md#s1",), "in", only)
            assert one.edge.target == "r:a.md#s1"
            assert reads.graph.edges(("r:a.md#s1",), "out", only) == ()

    @pytest.mark.requirement(21)
    def test_only_the_relations_that_are_asked_for_come(self, store: Store) -> None:
        references = [
            reference("r:a.md", "k"),
            reference("r:a.md", "k", "mentions", miner="titles"),
        ]
        publish(
            store,
            document("a.md", "a", references=references),
            document("b.md", "b", definitions={"k": 0}),
            name_holder("m.md"),
            name_holder("n.md"),
        )
        with writing(store) as writes:
            writes.edges.add_manual(
                [Relationship(Edge("r:a.md", "explains", "r:m.md"), (MANUAL,), ())]
            )
            writes.publish()
        for names in (("references",), ("mentions", "explains"), ("shares_entity",), ()):
            found = listed(store, relations=frozenset(names))
            assert {f.edge.relation for f in found} == set(names)

    @pytest.mark.requirement(20)
    def test_a_section_has_the_edges_that_it_claims_and_those_that_mean_it(
        self, store: Store
    ) -> None:
        references = [
            reference("r:a.md#s0", "k", inner="#s1"),
            reference("r:a.md", "k", inner="#s0"),
        ]
        publish(
            store,
            document("a.md", "one", "two", sections=True, references=references),
            document("b.md", "one", "two", sections=True, definitions={"k": 0}),
        )
        own = Edge("r:a.md#s0", "references", "r:b.md#s1")
        whole = Edge("r:a.md", "references", "r:b.md#s0")
        with store.open_session(local()) as reads:

            def edges(*nodes: str) -> tuple[list[Edge], list[Edge]]:
                leaving, entering = (reads.graph.edges(nodes, d) for d in ("out", "in"))
                return [f.edge for f in leaving], [f.edge for f in entering]

            assert edges("r:a.md#s0") == ([own], [])
            assert edges("r:a.md#s1") == ([], [])
            assert edges("r:b.md#s1") == ([], [own])
            assert edges("r:a.md", "r:b.md#s0") == ([whole, own], [whole])

    @pytest.mark.requirement(36)
    @pytest.mark.parametrize("seed", range(12))
    def test_edges_are_those_of_visible_references_and_definitions(
        self, store: Store, seed: int
    ) -> None:
        chance = random.Random(seed)
        documents = [_random_document(chance, f"{n % 3}/{n}.md") for n in range(14)]
        publish(store, *documents[:9])
        publish(store, *documents[9:])
        visible = [found for found in documents if found.statements == statements_of(LOCAL_ONLY)]
        whole = expected_edges(visible)
        roots = tuple(found.id for found in visible)
        assert len(whole) > 10
        with store.open_session(local()) as reads:
            assert all_edges(reads.graph) == whole
            assert reads.graph.edges(roots) == reads.graph.edges(roots, "in") == whole
            for some in (roots[:1], roots[1:4], tuple(f.id for f in documents if f not in visible)):
                leaving = tuple(f for f in whole if document_of(f.edge.source) in some)
                assert reads.graph.edges(some) == leaving
                entering = tuple(f for f in whole if document_of(f.edge.target) in some)
                assert reads.graph.edges(some, "in") == entering

    @pytest.mark.requirement(36)
    @pytest.mark.parametrize("seed", range(6))
    def test_candidates_are_the_edges_without_their_evidence(self, store: Store, seed: int) -> None:
        chance = random.Random(seed)
        documents = [_random_document(chance, f"{n % 3}/{n}.md") for n in range(9)]
        publish(store, *documents)
        roots = tuple(found.id for found in documents)
        with store.open_session(local()) as reads:
            edges = reads.graph.edges(roots)
            expected = [candidate for one in edges for candidate in candidates_of(one)]
            assert ungrouped(reads.graph.candidates(roots)) == ungrouped(expected)
            only = frozenset({"mentions"})
            mentions = [one for one in expected if one.relation == "mentions"]
            assert ungrouped(reads.graph.candidates(roots, only)) == ungrouped(mentions)

    @pytest.mark.requirement(3)
    def test_candidates_of_a_node_come_with_all_that_they_compete_with(self, store: Store) -> None:
        """Of other nodes, those with the same characters or longer ones, of the same relation."""
        own = reference("r:a.md#s0", "k", at=10, text="python")
        same = reference("r:a.md", "k", at=10, text="python")
        longer = reference("r:a.md#s1", "k", at=6, text="the python guide")
        apart = reference("r:a.md#s1", "k", at=12, text="thon guide")
        other = longer._replace(relation="mentions")
        publish(
            store,
            document(
                "a.md",
                "one",
                "two",
                sections=True,
                references=[own, same, longer, apart, other],
            ),
            document("b.md", "b", definitions={"k": 0}),
        )
        with store.open_session(local()) as reads:
            assert reads.graph.inside(("r:a.md#s0", "r:c.md")) == {"r:a.md#s0"}
            found = reads.graph.candidates(("r:a.md",), None, frozenset({"r:a.md#s0"}))
            assert [(one[0], one[4]) for one in ungrouped(found)] == [
                ("r:a.md", (10, 16)),
                ("r:a.md#s0", (10, 16)),
                ("r:a.md#s1", (6, 22)),
            ]
            assert len(ungrouped(reads.graph.candidates(("r:a.md",)))) == 5

    @pytest.mark.requirement(36)
    def test_an_optional_reference_without_a_definition_is_not_reported(self, store: Store) -> None:
        """So nobody can tell whether a title was once borne by someone."""
        mention = reference(
            "r:a.md", "title:Gone", "mentions", miner="titles", report_unresolved=False
        )
        publish(store, document("a.md", "a", references=[mention]))
        with store.open_session(local()) as reads:
            assert reads.graph.reference_counts() == ()

    @pytest.mark.requirement(36)
    def test_references_are_counted_over_visible_documents(self, store: Store) -> None:
        references = [
            reference("r:a.md", "k", at=0),
            reference("r:a.md", "hidden", at=10),
            reference("r:a.md", "gone", at=20),
            reference("r:a.md", "gone", at=30, report_unresolved=False),
            reference("r:a.md", "k", "mentions", at=40, miner="titles", report_unresolved=False),
        ]
        publish(
            store,
            document("a.md", "a", references=references, unresolved_calls=2),
            document("b.md", "b", definitions={"k": 0}, unresolved_calls=3),
            document("h.md", "h", definitions={"hidden": 0}, rule=HIDDEN, unresolved_calls=50),
            document(
                "n.md",
                "n",
                references=[reference("r:n.md", "k")],
                rule=NOWHERE,
                unresolved_calls=50,
            ),
            name_holder("m.md"),
            name_holder("o.md"),
        )
        with store.open_session(local()) as reads:
            assert reads.graph.reference_counts() == (
                ReferenceCount("links", "references", 1, 2),
                ReferenceCount("titles", "mentions", 1, 0),
            )
            assert reads.graph.unresolved_calls() == 5
        publish(store, miners=frozenset({"titles"}))
        with store.open_session(local()) as reads:
            assert reads.graph.reference_counts() == (ReferenceCount("titles", "mentions", 1, 0),)


def _random_document(chance: random.Random, path: str) -> Document:
    root = f"r:{path}"
    keys = [f"key{n}" for n in range(8)]
    references = [
        reference(
            root + chance.choice(("", "", "#s0")),
            chance.choice(keys),
            chance.choice(sorted(MINED_RELATIONS)),
            at=chance.randrange(5) * 10,
            miner=chance.choice(("links", "headers")),
            inner=chance.choice(("", "", "#s0", "#s7")),
            strict=chance.random() < 0.5,
            rank=chance.randrange(3),
            distance_weight=chance.randrange(2),
        )
        for _ in range(chance.randrange(8))
    ]
    names = [
        reference(root, f"entity:N{n}", "shares_entity", text=f"N{n}", miner="names")
        for n in range(4)
        if chance.random() < 0.5
    ]
    unique = {
        (c.relation, c.start, c.target.key, c.target.inner, c.suffix, c.miner): c
        for c in references
    }
    return document(
        path,
        "words",
        sections=True,
        rule=chance.choice((LOCAL_ONLY, LOCAL_ONLY, LOCAL_ONLY, HIDDEN)),
        definitions={key: chance.randrange(3) for key in chance.sample(keys, chance.randrange(4))},
        references=[*unique.values(), *names],
    )
