"""How edges come and go in every store: by miners, late references, versions and crashes."""

import pytest

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.model.snapshot import SnapshotSelector
from docgraph.ports.store import Store
from tests.conformance.published import edges_of, listed, publish
from tests.conformance.store_rules import writing
from tests.support.small_world import document, name_holder, reference, write


class EdgesInTimeRules:
    """Subclasses provide the fixture `store`."""

    def test_a_miner_that_a_snapshot_does_not_use_does_not_count_in_it(self, store: Store) -> None:
        references = [
            reference("r:a.md", "k"),
            reference("r:a.md", "k", "mentions", miner="titles"),
        ]
        link, mention = (("r:a.md", name, "r:b.md") for name in ("references", "mentions"))
        publish(
            store,
            document("a.md", "a", references=references),
            document("b.md", "b", definitions={"k": 0}),
        )
        publish(store, miners=ALL_MINERS - {"titles"})
        publish(store, document("c.md", "c"), miners=None)
        publish(store)
        publish(store, miners=frozenset())
        for number, edges in enumerate(([mention, link], [link], [link], [mention, link], []), 1):
            assert edges_of(store, SnapshotSelector("r", "main", number)) == edges
        assert edges_of(store) == []

    def test_names_are_shared_only_where_their_miner_counts(self, store: Store) -> None:
        publish(store, name_holder("a.md"), name_holder("b.md"), miners=ALL_MINERS - {"names"})
        assert edges_of(store) == []
        publish(store)
        assert len(edges_of(store)) == 2

    def test_another_set_of_miners_is_a_change(self, store: Store) -> None:
        publish(store, document("a.md", "a"))
        with writing(store) as writes:
            writes.references.set_miners(ALL_MINERS)
            assert not writes.has_changes()
            writes.references.set_miners(ALL_MINERS - {"links"})
            assert writes.has_changes()

    def test_references_added_later_are_edges_of_the_new_snapshot_alone(self, store: Store) -> None:
        """They are on keys that nobody offered before."""
        publish(store, document("a.md", "a"), document("b.md", "b"))
        with writing(store) as writes:
            write(writes, [document("new.md", "new", definitions={"title:New Title": 0})])
            late = reference("r:a.md", "title:New Title", "mentions", miner="titles")
            writes.references.add({"a.md": [late]})
            writes.publish()
        assert edges_of(store) == [("r:a.md", "mentions", "r:new.md")]
        assert edges_of(store, SnapshotSelector("r", "main", 1)) == []

    def test_a_stored_reference_is_not_replaced(self, store: Store) -> None:
        publish(
            store,
            document("a.md", "a", references=[reference("r:a.md", "k", rank=3)]),
            document("b.md", "b", definitions={"k": 0}),
        )
        before = listed(store)
        with writing(store) as writes:
            write(writes, [document("c.md", "c")])
            writes.references.add({"a.md": [reference("r:a.md", "k", rank=7)]})
            writes.references.add({"a.md": []})
            writes.publish()
        assert listed(store) == before

    def test_a_reference_added_later_ends_with_its_document_version(self, store: Store) -> None:
        publish(store, document("a.md", "a"), document("b.md", "b", definitions={"k": 0}))
        with writing(store) as writes:
            write(writes, [document("c.md", "c", definitions={"l": 0})])
            writes.references.add({"a.md": [reference("r:a.md", "l")]})
            writes.publish()
        publish(store, document("a.md", "changed"))
        assert edges_of(store) == []
        assert edges_of(store, SnapshotSelector("r", "main", 2)) == [
            ("r:a.md", "references", "r:c.md")
        ]

    @pytest.mark.requirement(10)
    def test_a_removed_document_that_returns_has_its_edges_again(self, store: Store) -> None:
        offering = document("b.md", "b", definitions={"k": 0, "b": 0})
        claiming = document(
            "a.md", "a", references=[reference("r:a.md", "k"), reference("r:a.md", "b", at=9)]
        )
        publish(store, claiming, offering)
        whole = listed(store)
        for path, found in (("a.md", claiming), ("b.md", offering)):
            with writing(store) as writes:
                writes.documents.remove([path])
                writes.publish()
            assert edges_of(store) == []
            publish(store, found)
            assert listed(store) == whole
        for number, edges in ((1, whole), (2, ()), (3, whole), (4, ()), (5, whole)):
            assert listed(store, SnapshotSelector("r", "main", number)) == edges

    def test_of_two_versions_added_before_publication_the_last_counts(self, store: Store) -> None:
        publish(
            store,
            document("b.md", "b", definitions={"k": 0}),
            document("c.md", "c", definitions={"l": 0}),
        )
        with writing(store) as writes:
            write(writes, [document("a.md", "one", references=[reference("r:a.md", "k")])])
            write(writes, [document("a.md", "two", references=[reference("r:a.md", "l")])])
            writes.publish()
        assert edges_of(store) == [("r:a.md", "references", "r:c.md")]

    @pytest.mark.requirement(9)
    def test_unpublished_references_are_invisible_and_removed_by_the_next_writer(
        self, store: Store
    ) -> None:
        publish(
            store,
            document("a.md", "a", references=[reference("r:a.md", "k"), reference("r:a.md", "b")]),
            document("b.md", "b", definitions={"b": 0}),
            name_holder("m.md"),
        )
        before = listed(store)
        with writing(store) as writes:
            write(
                writes, [document("b.md", "changed"), document("n.md", "n", definitions={"k": 0})]
            )
            write(
                writes,
                [name_holder("h.md"), document("z.md", "z", references=[reference("r:z.md", "b")])],
            )
            writes.documents.remove(["m.md"])
            writes.references.set_miners(frozenset())
            assert listed(store) == before
        assert listed(store) == before
        with writing(store) as writes:
            assert not writes.has_changes()
            assert sorted(writes.documents.stored()) == ["a.md", "b.md", "m.md"]
            assert writes.documents.existing_nodes(["r:n.md", "r:m.md"]) == {"r:m.md"}
        publish(store, document("o.md", "o"), miners=None)
        assert listed(store) == before
