"""What every store must do with edges that were stated by their ids."""

import pytest

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import local
from docgraph.model.edge import MANUAL, Edge, EdgeEvidence, Relationship
from docgraph.model.snapshot import SnapshotSelector
from docgraph.plan.resolved_edges import incident_edges, outgoing_edges
from docgraph.ports.store import Store
from tests.conformance.store_rules import mined, writing
from tests.support.graph_edges import all_edges
from tests.support.small_world import document, reference, write


class StatedEdgeRules:
    """Beside StoreRules, which provides the fixture `fruit`."""

    @pytest.mark.requirement(34)
    def test_an_edge_is_visible_when_both_its_ends_are(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            out = [found.edge for found in reads.graph.edges(("r:a.md",))]
            assert out == [
                Edge("r:a.md", "references", "r:b.md"),
                Edge("r:a.md#s1", "explains", "r:b.md"),
            ]
            back = [found.edge for found in reads.graph.edges(("r:b.md",), "in")]
            assert back == out
            assert reads.graph.edges(("r:h.md",)) == ()
            assert [found.edge for found in all_edges(reads.graph)] == out

    def test_a_section_has_its_own_edges_and_a_document_those_of_its_sections(
        self, fruit: Store
    ) -> None:
        with fruit.open_session(local()) as reads:
            assert [f.edge.relation for f in reads.graph.edges(("r:a.md#s1",))] == ["explains"]
            assert reads.graph.edges(("r:a.md#s0",)) == ()

    @pytest.mark.requirement(4)
    def test_evidence_of_a_relation_reads_back_unchanged(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            (first, _) = reads.graph.edges(("r:a.md",))
            assert first.evidence == (EdgeEvidence("a.md", 1, 0, 6, 0, "apples"),)
            assert first.origins == ("links",)

    @pytest.mark.requirement(3)
    def test_stated_and_mined_edges_compete_in_planning_as_in_lists(self, store: Store) -> None:
        """The text names the guide to pears, and only by its first word the pears."""
        guide = reference("r:a.md", "guide", at=3, text="pears guide")
        pears = reference("r:a.md", "pears", at=3, text="pears")
        documents = [
            document("a.md", "see pears guide", references=[guide, pears]),
            document("guide.md", "x", definitions={"guide": 0}),
            document("pears.md", "x", definitions={"pears": 0}),
            document("note.md", "x"),
        ]
        stated = [
            Relationship(Edge("r:a.md", "references", target), ("imported",), ())
            for target in ("r:pears.md", "r:note.md")
        ]
        with writing(store) as writes:
            write(writes, documents)
            writes.references.set_miners(ALL_MINERS)
            writes.edges.replace_imported(stated)
            writes.publish()
        with store.open_session(local()) as reads:
            planned = [one.edge.target for one in outgoing_edges(reads.graph, ("r:a.md",))]
            assert planned == [one.edge.target for one in incident_edges("r:a.md", reads.graph)]
            assert planned == ["r:guide.md", "r:note.md"]

    def test_mined_edges_follow_the_text_from_snapshot_to_snapshot(self, fruit: Store) -> None:
        moved = EdgeEvidence("a.md", 7, 90, 96, 0, "apples")
        with writing(fruit) as writes:
            writes.edges.replace_imported([mined("r:a.md", "references", "r:b.md", moved)])
            assert writes.has_changes()
            writes.publish()
        with writing(fruit) as writes:
            writes.edges.replace_imported([mined("r:a.md", "references", "r:b.md", moved)])
            assert not writes.has_changes()
        with fruit.open_session(local()) as reads:
            assert [found.evidence for found in all_edges(reads.graph)] == [(moved,)]
        with fruit.open_session(local(), (SnapshotSelector("r", "main", 1),)) as reads:
            assert len(all_edges(reads.graph)) == 2

    def test_edges_written_again_before_they_are_published_are_there_once(
        self, fruit: Store
    ) -> None:
        edge = Relationship(Edge("r:b.md", "explains", "r:a.md"), (MANUAL,), ())
        with writing(fruit) as writes:
            for _ in range(3):
                writes.edges.add_manual([edge])
            for line in (1, 2, 3, 3):
                place = EdgeEvidence("a.md", line, 0, 6, 0, "apples")
                writes.edges.replace_imported([mined("r:a.md", "references", "r:b.md", place)])
            writes.publish()
        with fruit.open_session(local()) as reads:
            assert [(f.edge.relation, len(f.evidence)) for f in all_edges(reads.graph)] == [
                ("references", 1),
                ("explains", 0),
            ]

    def test_a_manual_relation_and_its_note_go_with_a_pruned_document(self, fruit: Store) -> None:
        """On its own branch, and in other repositories once no branch has the document."""
        note = EdgeEvidence("b.md", 0, 0, 0, 0, "Ann said so")
        kept = Edge("r:b.md", "explains", "r:c.md")
        gone = Edge("r:b.md", "explains", "r:a.md")
        far = Edge("s:x.md", "explains", "r:a.md")
        with writing(fruit) as writes:
            write(writes, [document("c.md", "cherries")])
            writes.edges.add_manual([Relationship(e, (MANUAL,), (note,)) for e in (gone, kept)])
            writes.publish()
        with writing(fruit, "s") as writes:
            write(writes, [document("x.md", "plums", repository="s")])
            writes.edges.add_manual([Relationship(far, (MANUAL,), (note,))])
            writes.publish()
        with writing(fruit) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        with fruit.open_session(local(), (SnapshotSelector("r", "main", 2),)) as reads:
            assert gone in [found.edge for found in all_edges(reads.graph)]
        fruit.prune("local", "r", "main", 1)
        with writing(fruit) as writes:
            write(writes, [document("a.md", "apples again")])
            writes.publish()
        with fruit.open_session(local()) as reads:
            manual = [one.edge for one in all_edges(reads.graph) if MANUAL in one.origins]
        assert manual == [kept]

    @pytest.mark.requirement(3)
    def test_a_relation_added_twice_is_one_edge_with_both_origins(self, fruit: Store) -> None:
        edge = Edge("r:a.md", "references", "r:b.md")
        for _ in range(2):
            with writing(fruit) as writes:
                writes.edges.add_manual([Relationship(edge, (MANUAL,), ())])
                writes.publish()
        with fruit.open_session(local()) as reads:
            found = [known for known in all_edges(reads.graph) if known.edge == edge]
            assert [known.origins for known in found] == [("links", "manual")]
        with writing(fruit) as writes:
            assert writes.edges.remove_manual([edge]) == 1
            assert writes.edges.remove_manual([edge]) == 0
            writes.publish()
        with fruit.open_session(local()) as reads:
            found = [known for known in all_edges(reads.graph) if known.edge == edge]
            assert [known.origins for known in found] == [("links",)]
