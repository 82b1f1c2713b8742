"""How documents of every store share a name: if few visible ones hold it."""

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.model.edge import Edge, EdgeEvidence
from docgraph.model.link import MAX_NAME_HOLDERS
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import Store
from tests.conformance.published import edges_of, listed, publish
from tests.conformance.store_rules import HIDDEN, NOWHERE, writing
from tests.support.small_world import NAME, document, name_holder, reference


class SharedNameRules:
    """Subclasses provide the fixture `store`."""

    @pytest.mark.requirement(36)
    def test_documents_that_hold_the_same_name_share_it(self, store: Store) -> None:
        publish(store, name_holder("a.md"), name_holder("b.md"), document("c.md", "c"))
        there, back = listed(store)
        assert there.edge == Edge("r:a.md", "shares_entity", "r:b.md")
        assert there.evidence == (EdgeEvidence("a.md", 1, 0, 0, 0, "Marie Curie"),)
        assert back.edge == Edge("r:b.md", "shares_entity", "r:a.md")
        assert back.evidence == (EdgeEvidence("b.md", 1, 0, 0, 0, "Marie Curie"),)
        with store.open_session(local()) as reads:
            assert reads.graph.edges(("r:a.md",)) == reads.graph.edges(("r:b.md",), "in")
            assert reads.graph.edges(("r:a.md",)) == (there,)

    @pytest.mark.requirement(36)
    def test_hidden_holders_of_a_name_do_not_count(self, store: Store) -> None:
        hidden = [
            name_holder(f"{n}.hidden.md", rule=rule) for rule in (HIDDEN, NOWHERE) for n in "ab"
        ]
        publish(store, name_holder("0.md"), *hidden)
        assert edges_of(store) == []
        for number in range(1, MAX_NAME_HOLDERS):
            publish(
                store, name_holder(f"{number}.md"), name_holder(f"{number}.hidden.md", rule=HIDDEN)
            )
            assert len(edges_of(store)) == number * (number + 1)

    @pytest.mark.requirement(36)
    def test_a_name_with_too_many_visible_holders_gives_no_edges_until_one_is_removed(
        self, store: Store
    ) -> None:
        publish(store, *(name_holder(f"{n}.md") for n in range(MAX_NAME_HOLDERS)))
        whole = edges_of(store)
        assert len(whole) == MAX_NAME_HOLDERS * (MAX_NAME_HOLDERS - 1)
        publish(store, name_holder("9.md"))
        assert edges_of(store) == []
        with store.open_session(local()) as reads:
            assert reads.graph.edges(("r:9.md",)) == reads.graph.edges(("r:1.md",), "in") == ()
        assert edges_of(store, SnapshotSelector("r", "main", 1)) == whole
        with writing(store) as writes:
            writes.documents.remove(["9.md"])
            writes.publish()
        assert edges_of(store) == whole

    def test_older_versions_of_a_holder_are_no_holders(self, store: Store) -> None:
        publish(store, *(name_holder(f"{n}.md") for n in range(MAX_NAME_HOLDERS)))
        publish(store, name_holder("0.md", title="changed"), name_holder("1.md", title="changed"))
        assert len(edges_of(store)) == MAX_NAME_HOLDERS * (MAX_NAME_HOLDERS - 1)

    def test_a_name_is_shared_only_within_one_branch(self, store: Store) -> None:
        publish(store, name_holder("a.md"))
        publish(store, name_holder("b.md"), branch="topic")
        other = reference("q:c.md", NAME, "shares_entity", text="Marie Curie", miner="names")
        publish(store, document("c.md", "c", repository="q", references=[other]), repository="q")
        assert edges_of(store) == []
