"""What every store gives its writers: titles, texts, and unresolved references."""

from dataclasses import replace

import pytest

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import local
from docgraph.model.document import Document
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.ports.store import Store
from docgraph.ports.writes import SnapshotWriter, SourceRevision, text_key
from docgraph.testing.small_store import DIMENSIONS
from tests.conformance.published import publish
from tests.conformance.store_rules import writing
from tests.support.graph_edges import all_edges
from tests.support.small_world import document, name_holder, reference, write


def titled(path: str, *titles: str, text: str = "words") -> Document:
    return document(path, text, definitions={f"title:{title}": 0 for title in titles})


def known(writes: SnapshotWriter) -> tuple[set[str], set[str]]:
    """Titles that the newest snapshot has too, and those that are new."""
    titles = writes.references.titles()
    return {t for t in titles if titles[t]}, {t for t in titles if not titles[t]}


class WriterRules:
    """Subclasses provide the fixture `store`."""

    def test_a_title_is_known_if_the_newest_snapshot_has_it(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [titled("a.md", "One", "Another")])
            assert known(writes) == (set(), {"One", "Another"})
            writes.publish()
            assert known(writes) == ({"One", "Another"}, set())
        with writing(store) as writes:
            write(writes, [titled("b.md", "Two"), titled("c.md", "One")])
            assert known(writes) == ({"One", "Another"}, {"Two"})

    def test_a_title_stays_known_when_its_only_document_changes(self, store: Store) -> None:
        publish(store, titled("a.md", "One"))
        with writing(store) as writes:
            write(writes, [titled("a.md", "One", text="changed")])
            assert known(writes) == ({"One"}, set())

    def test_a_title_stays_known_when_another_document_gets_it(self, store: Store) -> None:
        publish(store, titled("a.md", "One"))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            write(writes, [titled("b.md", "One")])
            assert known(writes) == ({"One"}, set())

    def test_a_title_without_a_document_is_not_listed(self, store: Store) -> None:
        publish(store, titled("a.md", "One"), titled("b.md", "Two"))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            write(writes, [titled("b.md", "Three")])
            assert known(writes) == (set(), {"Three"})
            writes.publish()
            assert known(writes) == ({"Three"}, set())

    def test_a_title_that_returns_after_a_snapshot_without_it_is_new(self, store: Store) -> None:
        publish(store, titled("a.md", "One"))
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            writes.publish()
        with writing(store) as writes:
            write(writes, [titled("a.md", "One")])
            assert known(writes) == (set(), {"One"})

    def test_a_title_of_an_unfinished_ingest_is_new(self, store: Store) -> None:
        publish(store, titled("a.md", "One"))
        with writing(store) as writes:
            write(writes, [titled("b.md", "Two")])
        with writing(store) as writes:
            assert known(writes) == ({"One"}, set())
            write(writes, [titled("b.md", "Two")])
            assert known(writes) == ({"One"}, {"Two"})

    def test_titles_are_those_of_one_branch(self, store: Store) -> None:
        publish(store, titled("a.md", "One"))
        with writing(store, branch="topic") as writes:
            assert writes.references.titles() == {}
            write(writes, [titled("a.md", "One")])
            assert known(writes) == (set(), {"One"})

    def test_definitions_of_other_kinds_are_not_titles(self, store: Store) -> None:
        with writing(store) as writes:
            keys = {"title": 0, "titles:x": 0, "path:title:x": 0, "title:": 0, "title;x": 0}
            write(writes, [document("a.md", "a", definitions=keys)])
            assert set(writes.references.titles()) <= {""}

    def test_current_texts_are_the_new_or_the_stored_ones(self, store: Store) -> None:
        publish(store, document("a.md", "old a"), document("b.md", "old b", title="B"))
        with writing(store) as writes:
            write(writes, [document("d.md", "new d"), document("a.md", "new a")])
            fresh, old = (
                list(writes.documents.current_texts(new=fresh)) for fresh in (True, False)
            )
            assert [(t.path, t.text) for t in fresh] == [("a.md", "new a"), ("d.md", "new d")]
            (held,) = old
            assert (held.path, held.id, held.kind) == ("b.md", "r:b.md", "document")
            assert (held.title, held.text) == ("B", "old b")
            writes.documents.remove(["b.md"])
            assert list(writes.documents.current_texts(new=False)) == []
            writes.publish()
            assert list(writes.documents.current_texts(new=True)) == []
            assert [t.path for t in writes.documents.current_texts(new=False)] == ["a.md", "d.md"]

    def test_references_can_be_added_while_texts_are_read(self, store: Store) -> None:
        publish(store, *(document(f"{n:03}.md", f"text {n}") for n in range(150)))
        with writing(store) as writes:
            write(writes, [titled("z.md", "New")])
            seen = []
            for text in writes.documents.current_texts(new=False):
                seen.append(text.path)
                writes.references.add({text.path: [reference(text.id, "title:New", "mentions")]})
            assert seen == [f"{n:03}.md" for n in range(150)]
            writes.publish()
        with store.open_session(local()) as reads:
            assert len(all_edges(reads.graph)) == 150

    def test_source_lines_read_back_unchanged(self, store: Store) -> None:
        lines = ((0, 3), (5, 70))
        with writing(store) as writes:
            write(writes, [replace(document("a.html", "made of it"), source_lines=lines)])
            (text,) = writes.documents.current_texts(new=True)
        assert text.source_lines == lines

    def test_a_stored_document_has_its_fingerprint_and_content_key(self, store: Store) -> None:
        found = document("a.md", "one")
        publish(store, found)
        with writing(store) as writes:
            (held,) = writes.documents.stored().values()
            assert (held.path, held.fingerprint) == ("a.md", found.fingerprint)
            assert held.content == text_key("one")
        other = EmbedderIdentity("other", "1" * 64, DIMENSIONS)
        with store.open_writer("local", "r", "main", other) as writes:
            (held,) = writes.documents.stored().values()
            assert (held.fingerprint, held.content) == ("", text_key("one"))

    def test_existing_nodes_are_those_of_the_new_snapshot(self, store: Store) -> None:
        publish(store, document("a.md", "one", sections=True), document("b.md", "two"))
        asked = ["r:a.md", "r:a.md#s0", "r:b.md", "r:c.md", "r:c.md#s0", "q:a.md"]
        with writing(store) as writes:
            assert writes.documents.existing_nodes(asked) == {"r:a.md", "r:a.md#s0", "r:b.md"}
            writes.documents.remove(["b.md"])
            write(writes, [document("a.md", "one"), document("c.md", "three")])
            assert writes.documents.existing_nodes(asked) == {"r:a.md", "r:c.md"}
            assert writes.documents.existing_nodes([]) == frozenset()

    def test_references_of_new_documents_are_counted_by_miner_and_relation(
        self, store: Store
    ) -> None:
        publish(
            store,
            document(
                "old.md",
                "o",
                definitions={"k": 0},
                references=[reference("r:old.md", "gone")],
                unresolved_calls=9,
            ),
        )
        references = [
            reference("r:a.md", "k", at=0),
            reference("r:a.md", "gone", at=10),
            reference("r:a.md", "gone", at=20, report_unresolved=False),
            reference("r:a.md", "new", "mentions", at=30, miner="titles", report_unresolved=False),
        ]
        with writing(store) as writes:
            write(
                writes,
                [
                    document("a.md", "a", references=references, unresolved_calls=2),
                    document("b.md", "b", definitions={"new": 0}, unresolved_calls=1),
                    name_holder("m.md"),
                ],
            )
            for publish_first in (False, True):
                if publish_first:
                    writes.publish()
                assert writes.references.counts() == (
                    ReferenceCount("links", "references", 1, 1),
                    ReferenceCount("titles", "mentions", 1, 0),
                )
                assert writes.references.unresolved_calls() == 3
                assert writes.references.unresolved("mentions", 9) == ()
                assert writes.references.unresolved("references", 9) == (
                    UnresolvedReference("a.md", 1, "references word"),
                )
            write(writes, [document("c.md", "c")])
            assert (writes.references.counts(), writes.references.unresolved_calls()) == ((), 0)

    def test_alternative_references_at_one_position_count_once_and_any_may_resolve(
        self, store: Store
    ) -> None:
        references = [
            reference("r:a.md", "k", at=0),
            reference("r:a.md", "gone", at=0, rank=3),
            reference("r:a.md", "gone", at=0, miner="headers"),
            reference("r:a.md", "gone", at=10),
            reference("r:a.md", "gone too", at=10, miner="identifiers", report_unresolved=False),
        ]
        with writing(store) as writes:
            writes.references.set_miners(ALL_MINERS)
            write(writes, [document("a.md", "a", references=references)])
            write(writes, [document("b.md", "b", definitions={"k": 0})])
            assert writes.references.counts() == (
                ReferenceCount("headers", "references", 1, 0),
                ReferenceCount("identifiers", "references", 0, 1),
            )
            assert len(writes.references.unresolved("references", 9)) == 1

    def test_a_strict_reference_resolves_only_to_the_inner_node(self, store: Store) -> None:
        references = [
            reference("r:a.md", "k", at=0, inner="#s0", strict=True),
            reference("r:a.md", "k", at=10, inner="#gone", strict=True),
            reference("r:a.md", "k", at=20, inner="#gone"),
        ]
        with writing(store) as writes:
            writes.references.set_miners(ALL_MINERS)
            write(writes, [document("a.md", "a", references=references)])
            write(writes, [document("b.md", "b", sections=True, definitions={"k": 0})])
            assert writes.references.counts() == (ReferenceCount("links", "references", 2, 1),)

    @pytest.mark.parametrize("gone", ["dropped", "changed", "elsewhere"])
    def test_a_removed_document_resolves_nothing(self, store: Store, gone: str) -> None:
        offering = document("b.md", "b", definitions={"k": 0})
        publish(store, offering, branch="topic" if gone == "elsewhere" else "main")
        with writing(store) as writes:
            writes.references.set_miners(ALL_MINERS)
            if gone == "dropped":
                writes.documents.remove(["b.md"])
            if gone == "changed":
                write(writes, [document("b.md", "changed")])
            write(writes, [document("a.md", "a", references=[reference("r:a.md", "k")])])
            assert writes.references.counts() == (ReferenceCount("links", "references", 0, 1),)

    def test_references_of_disabled_miners_are_not_counted(self, store: Store) -> None:
        references = [
            reference("r:a.md", "gone"),
            reference("r:a.md", "gone", at=10, miner="headers", text="other"),
        ]
        with writing(store) as writes:
            write(writes, [document("a.md", "a", references=references)])
            assert (writes.references.counts(), writes.references.unresolved("references", 9)) == (
                (),
                (),
            )
            writes.references.set_miners(frozenset({"headers"}))
            assert writes.references.counts() == (ReferenceCount("headers", "references", 0, 1),)
            assert [u.what for u in writes.references.unresolved("references", 9)] == [
                "references other"
            ]

    def test_unresolved_references_are_ordered_by_path_and_line(self, store: Store) -> None:
        with writing(store) as writes:
            writes.references.set_miners(ALL_MINERS)
            for path in ("b.md", "a.md"):
                lines = [
                    reference(f"r:{path}", "gone", at=at, text=f"{line}")._replace(line=line)
                    for at, line in ((50, 9), (0, 2), (30, 5))
                ]
                write(writes, [document(path, path, references=lines)])
            found = writes.references.unresolved("references", 4)
        assert [(one.path, one.line) for one in found] == [
            ("a.md", 2),
            ("a.md", 5),
            ("a.md", 9),
            ("b.md", 2),
        ]

    def test_another_revision_is_a_change_and_stays_until_the_next(self, store: Store) -> None:
        publish(store, document("a.md", "a"))
        commit = SourceRevision("main", "1" * 40)
        with writing(store) as writes:
            assert not writes.has_changes()
            assert not writes.has_changes(SourceRevision())
            assert writes.has_changes(commit)
            writes.publish(commit)
            assert not writes.has_changes(commit)
        publish(store, document("b.md", "b"))
        with writing(store) as writes:
            assert not writes.has_changes(commit)
            assert not writes.has_changes()
            assert writes.has_changes(SourceRevision("main", "2" * 40))

    @pytest.mark.requirement(9)
    def test_a_document_removed_before_publication_was_never_there(self, store: Store) -> None:
        publish(store, document("a.md", "a", definitions={"k": 0}))
        gone = document(
            "b.md",
            "b",
            definitions={"title:B is": 0},
            references=[reference("r:b.md", "x")],
            unresolved_calls=7,
        )
        with writing(store) as writes:
            write(writes, [gone, document("c.md", "c", references=[reference("r:c.md", "k")])])
            writes.documents.remove(["b.md"])
            assert sorted(writes.documents.stored()) == ["a.md", "c.md"]
            assert (writes.references.titles(), writes.references.unresolved_calls()) == ({}, 0)
            assert [found.path for found in writes.documents.current_texts(new=True)] == ["c.md"]
            assert writes.references.counts() == (ReferenceCount("links", "references", 1, 0),)
            assert writes.references.unresolved("references", 9) == ()
            writes.publish()
        with store.open_session(local()) as reads:
            assert reads.counts() == {"nodes.document": 2, "chunks": 2}
            assert [found.edge.source for found in all_edges(reads.graph)] == ["r:c.md"]

    def test_a_document_removed_and_added_again_before_publication_is_there(
        self, store: Store
    ) -> None:
        found = document("a.md", "a", definitions={"k": 0})
        other = document("b.md", "b", references=[reference("r:b.md", "k")])
        publish(store, found, other)
        with writing(store) as writes:
            writes.documents.remove(["a.md"])
            write(writes, [found])
            writes.publish()
        with store.open_session(local()) as reads:
            assert [found.edge.target for found in all_edges(reads.graph)] == ["r:a.md"]
