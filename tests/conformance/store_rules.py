"""What every store must do. A store's whole test file is a subclass with one fixture."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import numpy as np
import pytest

from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import EVERYONE, LOCAL_ONLY, AccessRule, Person
from docgraph.model.edge import Edge, EdgeEvidence, Relationship
from docgraph.model.errors import NotPlanned, NotVisible
from docgraph.model.evidence import ChunkScore
from docgraph.model.plan import Constraints, RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.seeds import Selection
from docgraph.model.snapshot import SnapshotName, SnapshotSelector
from docgraph.ports.search_reads import Level
from docgraph.ports.store import ReaderSession, Store
from docgraph.ports.writes import SnapshotWriter
from docgraph.testing.small_store import DIMENSIONS, hash_vector
from tests.support.lexical_scores import PARAMETERS, scores_of, textbook
from tests.support.small_world import IDENTITY, document, statements_of, write

OVERS: tuple[Level, ...] = ("documents", "sections", "chunks")
HIDDEN = AccessRule("local", frozenset({"others"}))
NOWHERE = AccessRule("local")


def vector(text: str) -> tuple[int, ...]:
    return tuple(int(value) for value in hash_vector(text))


def writing(
    store: Store, repository: str = "r", branch: str = "main"
) -> AbstractContextManager[SnapshotWriter]:
    return store.open_writer("local", repository, branch, IDENTITY)


def ids(rows: tuple[tuple[str, int], ...]) -> list[str]:
    return [node for node, _ in rows]


def plan_of(*nodes: str, question: str = "apples") -> RetrievalPlan:
    return RetrievalPlan(
        question=question,
        query_vector=vector(question),
        embedder=IDENTITY,
        seed_documents=nodes,
        expanded_documents=(),
        order=nodes,
        constraints=Constraints((), Selection(), False, 0, "out", (), None, None, None, "seeds"),
        cut=(),
    )


def mined(source: str, relation: str, target: str, *evidence: EdgeEvidence) -> Relationship:
    return Relationship(Edge(source, relation, target), ("links",), evidence)


class StoreRules:
    """Subclasses provide the fixture `store`."""

    @pytest.fixture
    def fruit(self, store: Store) -> Store:
        """Two visible documents, one of them in sections, and two hidden ones."""
        with writing(store) as writes:
            write(
                writes,
                [
                    document("a.md", "apples are red", "pears are green", sections=True),
                    document("b.md", "bananas are yellow", names=["banana_split"]),
                    document("h.md", "apples apples apples", rule=HIDDEN, names=["banana_split"]),
                    document("n.md", "apples apples", rule=NOWHERE),
                ],
            )
            writes.edges.replace_imported(
                [
                    mined(
                        "r:a.md", "references", "r:b.md", EdgeEvidence("a.md", 1, 0, 6, 0, "apples")
                    ),
                    mined("r:a.md", "references", "r:h.md"),
                    mined("r:h.md", "references", "r:b.md"),
                    mined("r:a.md#s1", "explains", "r:b.md"),
                ]
            )
            writes.publish()
        return store

    @pytest.mark.requirement(17)
    @pytest.mark.requirement(34)
    def test_hidden_documents_take_no_rank(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            for over in OVERS:
                rows = reads.search.nearest(vector("apples"), over=over, roll_up=True, top=2)
                assert sorted(ids(rows)) == ["r:a.md", "r:b.md"]

    def test_a_ranking_is_exact_and_breaks_ties_by_id(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document(f"{n}.md", "the same words", title="t") for n in "dbca"])
            writes.publish()
        with store.open_session(local()) as reads:
            rows = reads.search.nearest(vector("same"), over="documents", roll_up=True, top=3)
            assert ids(rows) == ["r:a.md", "r:b.md", "r:c.md"]
            exact = int(hash_vector("the same words").astype(np.int64) @ hash_vector("same"))
            flat = reads.search.nearest(vector("same"), over="chunks", roll_up=True, top=1)
            assert flat == (("r:a.md", exact),)

    def test_a_section_is_ranked_by_itself_or_for_its_document(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            own = reads.search.nearest(vector("pears"), over="sections", roll_up=False, top=9)
            assert set(ids(own)) == {"r:a.md", "r:a.md#s0", "r:a.md#s1", "r:b.md"}
            rolled = reads.search.nearest(vector("pears"), over="sections", roll_up=True, top=9)
            best = dict(own)
            assert dict(rolled)["r:a.md"] == max(v for k, v in best.items() if k[:6] == "r:a.md")

    @pytest.mark.requirement(36)
    def test_term_statistics_count_visible_chunks_alone(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            visible = ["apples are red", "pears are green", "bananas are yellow"]
            found = scores_of(reads.search, ("apples", "green", "nothing"), roll_up=True)
            assert [one.term for one in found[:-1]] == ["apples", "green"]
            for one, chunk in zip(found[:-1], visible[:2], strict=True):
                for bm25, scores in zip(PARAMETERS, one.scores, strict=True):
                    assert scores == (("r:a.md", textbook(visible, chunk, (one.term,), bm25)),)
            own = scores_of(reads.search, ("green",), roll_up=False)[0]
            assert own.owners == ["r:a.md#s1"]

    def test_a_nodes_similarity_is_that_of_its_best_chunk(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            for roll_up in (True, False):
                asked = ("r:a.md", "r:a.md#s0", "r:a.md#s1", "r:b.md", "r:h.md", "x")
                near = reads.search.nearest(vector("pears"), over="chunks", roll_up=roll_up, top=99)
                best = reads.search.best_chunk_similarities(vector("pears"), asked, roll_up=roll_up)
                assert best == {node: dot for node, dot in near if node in asked}
                assert best
                again = reads.search.best_chunk_similarities(
                    vector("apples"), asked, roll_up=roll_up
                )
                assert again.keys() == best.keys()

    @pytest.mark.requirement(36)
    def test_only_visible_documents_are_found_by_title(self, store: Store) -> None:
        title = {"title:Winter: Apples": 0}
        with writing(store) as writes:
            made = (("a.md", LOCAL_ONLY), ("b.md", LOCAL_ONLY), ("h.md", HIDDEN))
            write(
                writes, [document(path, "x", rule=rule, definitions=title) for path, rule in made]
            )
            writes.publish()
        with store.open_session(local()) as reads:
            found = reads.search.documents_titled(("Winter: Apples", "Winter", "nothing"))
            assert found == (("Winter: Apples", "r:a.md"), ("Winter: Apples", "r:b.md"))

    def test_only_visible_nodes_define_a_name(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            found = reads.search.definers(("banana_split", "nothing"))
            assert found == (("banana_split", "r:b.md"),)

    @pytest.mark.requirement(36)
    def test_a_forbidden_id_and_an_absent_id_are_answered_alike(self, fruit: Store) -> None:
        asked = ("r:a.md", "r:h.md", "r:absent.md")
        with fruit.open_session(local()) as reads:
            assert list(reads.search.kinds(asked)) == ["r:a.md"]
            assert list(reads.search.node_similarities(vector("x"), asked)) == ["r:a.md"]
            assert reads.graph.visible_ids(asked) == ("r:a.md",)
            texts = reads.texts(plan_of(*asked))
            assert [concept.id for concept in texts.concepts(asked)] == ["r:a.md"]
            assert [chunk.id for chunk in texts.full_texts(asked)] == ["r:a.md"]
            assert texts.chunk_scores("r:h.md") == texts.chunk_scores("r:absent.md") == ()

    @pytest.mark.requirement(27)
    def test_text_outside_the_plan_is_refused(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            texts = reads.texts(plan_of("r:a.md#s0"))
            for call in (
                lambda: texts.concepts(("r:b.md",)),
                lambda: texts.chunk_scores("r:b.md"),
                lambda: texts.full_texts(("r:a.md",)),
            ):
                with pytest.raises(NotPlanned):
                    call()

    @pytest.mark.requirement(29)
    def test_a_planned_section_admits_its_own_span_only(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            texts = reads.texts(plan_of("r:a.md#s0"))
            (score,) = texts.chunk_scores("r:a.md#s0")
            (chunk,) = texts.chunks((score,))
            assert (chunk.text, chunk.location.cite()) == ("apples are red", "a.md:1")
            assert texts.full_texts(("r:a.md#s0",))[0].text == "apples are red"
            forged = ChunkScore("r:a.md#s1@1", "r:a.md#s1", 1, 0, 0)
            with pytest.raises(NotPlanned):
                texts.chunks((forged,))

    @pytest.mark.requirement(28)
    def test_similarity_within_a_plan_is_exact(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            scores = reads.texts(plan_of("r:a.md")).chunk_scores("r:a.md")
            texts = ("apples are red", "pears are green")
            query = hash_vector("apples").astype(np.int64)
            assert [s.similarity for s in scores] == [int(hash_vector(t) @ query) for t in texts]

    @pytest.mark.requirement(33)
    def test_access_is_explained_in_the_readers_own_rights(self, fruit: Store) -> None:
        with fruit.open_session(local()) as reads:
            (concept,) = reads.texts(plan_of("r:b.md")).concepts(("r:b.md",))
            assert concept.access == "readable by group local"

    @pytest.mark.requirement(47)
    def test_every_concept_has_its_labels_and_level(self, store: Store) -> None:
        labels = frozenset({"eu", "hr"})
        with writing(store) as writes:
            rule = AccessRule("local", frozenset({EVERYONE}), labels, 2)
            write(writes, [document("a.md", "one", rule=rule), document("b.md", "two")])
            writes.publish()
        reader = impersonated(Person("ann", "local", frozenset({"local"}), labels, 3), local())
        with store.open_session(reader) as reads:
            concepts = reads.texts(plan_of("r:a.md", "r:b.md")).concepts(("r:a.md", "r:b.md"))
        assert [(c.labels, c.level) for c in concepts] == [(labels, 2), (frozenset(), 0)]

    @pytest.mark.requirement(10)
    def test_an_old_snapshot_replays_and_nothing_of_another_one_appears(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document("a.md", "one"), document("b.md", "two")])
            writes.publish()
        with writing(store) as writes:
            write(writes, [document("a.md", "three")])
            writes.documents.remove(["b.md"])
            writes.publish()

        def texts(reads: ReaderSession) -> dict[str, str]:
            found = reads.texts(plan_of("r:a.md", "r:b.md")).full_texts(("r:a.md", "r:b.md"))
            return {chunk.id: chunk.text for chunk in found}

        with store.open_session(local(), (SnapshotSelector("r", "main", 1),)) as reads:
            assert texts(reads) == {"r:a.md": "one", "r:b.md": "two"}
            assert scores_of(reads.search, ("three",), roll_up=True) == []
        with store.open_session(local()) as reads:
            assert reads.scope.snapshots == (SnapshotName("r", "main", 2),)
            assert texts(reads) == {"r:a.md": "three"}
            assert scores_of(reads.search, ("one", "two"), roll_up=True) == []
            assert ids(reads.search.nearest(vector("two"), over="chunks", roll_up=True, top=9)) == [
                "r:a.md"
            ]

    @pytest.mark.requirement(9)
    def test_an_unpublished_write_is_seen_by_nobody_and_leaves_nothing(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.publish()
        with writing(store) as writes:
            write(writes, [document("a.md", "two"), document("b.md", "two")])
            writes.edges.replace_imported([mined("r:a.md", "references", "r:b.md")])
            with store.open_session(local()) as reads:
                assert reads.counts() == {"nodes.document": 1, "chunks": 1}
                assert scores_of(reads.search, ("two",), roll_up=True) == []
        with writing(store) as writes:
            assert list(writes.documents.stored()) == ["a.md"]
            held = [(found.path, found.text) for found in writes.documents.current_texts(new=False)]
            assert held == [("a.md", "one")]
            assert list(writes.documents.current_texts(new=True)) == []
            assert not writes.has_changes()
            write(writes, [document("c.md", "three")])
            writes.publish()
        with store.open_session(local()) as reads:
            rows = reads.search.nearest(vector("x"), over="chunks", roll_up=True, top=9)
            assert sorted(ids(rows)) == ["r:a.md", "r:c.md"]
            assert sorted(reads.search.kinds(("r:a.md", "r:b.md", "r:c.md"))) == sorted(ids(rows))

    @pytest.mark.requirement(19)
    def test_an_ingestion_is_the_snapshot_that_brought_a_version(self, store: Store) -> None:
        """Each version has its own; what is hidden or absent has none."""
        for repository, paths in (("r", "abh"), ("r", "b"), ("s", "b")):
            with writing(store, repository) as writes:
                for path in paths:
                    rule = HIDDEN if path == "h" else LOCAL_ONLY
                    name, text = f"{path}.md", f"{writes.is_first} {path}"
                    made = document(name, text, repository=repository, rule=rule, sections=True)
                    write(writes, [made])
                writes.publish()
        first = (SnapshotName("r", "main", 1), SnapshotName("r", "main", 2))
        asked = ("r:b.md#s0", "r:a.md", "r:h.md", "r:absent.md", "s:b.md")
        with store.open_session(local()) as reads:
            assert reads.search.ingestions(asked) == {
                "r:a.md": first[0],
                "r:b.md#s0": first[1],
                "s:b.md": SnapshotName("s", "main", 1),
            }
        with store.open_session(local(), (SnapshotSelector("r", "main", 1),)) as reads:
            assert reads.search.ingestions(asked[:2]) == dict.fromkeys(asked[:2], first[0])

    @pytest.mark.requirement(10)
    def test_a_session_does_not_change_while_it_is_open(self, store: Store) -> None:
        """Not even when ingests publish, merge and give rules meanwhile."""
        with writing(store) as writes:
            write(writes, [document("a.md", "one word"), document("b.md", "two word")])
            writes.publish()

        def seen(reads: ReaderSession) -> object:
            found = reads.search.nearest(vector("word"), over="chunks", roll_up=False, top=9)
            words = scores_of(reads.search, ("word",), roll_up=True)
            return found, words, tuple(reads.contents()), reads.versions(), reads.counts()

        with store.open_session(local()) as reads:
            before = seen(reads)
            for number in range(8):
                with writing(store) as writes:
                    write(writes, [document("a.md", f"word {number}")])
                    writes.documents.remove(["b.md"])
                    writes.access.set_statements({"a.md": statements_of(NOWHERE)})
                    writes.publish()
            assert seen(reads) == before

    @pytest.mark.requirement(37)
    def test_a_changed_rule_counts_for_old_snapshots_too(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document("a.md", "one"), document("b.md", "two")])
            writes.publish()
        with writing(store) as writes:
            writes.access.set_statements(
                {"a.md": statements_of(NOWHERE), "b.md": statements_of(LOCAL_ONLY)}
            )
            assert writes.has_changes()
            writes.publish()
        for snapshot in (1, 2):
            with store.open_session(local(), (SnapshotSelector("r", "main", snapshot),)) as reads:
                assert list(reads.search.kinds(("r:a.md", "r:b.md"))) == ["r:b.md"]

    @pytest.mark.requirement(36)
    def test_a_hidden_repository_reads_like_an_absent_one(self, store: Store) -> None:
        with writing(store, "secret") as writes:
            write(writes, [document("a.md", "one", repository="secret", rule=HIDDEN)])
            writes.publish()

        def refusal(selector: SnapshotSelector) -> str:
            with pytest.raises(NotVisible) as caught, store.open_session(local(), (selector,)):
                pass
            return str(caught.value)

        assert refusal(SnapshotSelector("secret")).replace("secret", "absent") == refusal(
            SnapshotSelector("absent")
        )
        with store.open_session(local()) as reads:
            assert reads.scope.snapshots == ()
            assert reads.embedder is None

    def test_a_question_reads_main_unless_it_names_a_branch(self, store: Store) -> None:
        for branch in ("topic", "main"):
            with writing(store, branch=branch) as writes:
                write(writes, [document("a.md", branch)])
                writes.publish()
        with store.open_session(local()) as reads:
            assert reads.scope.snapshots == (SnapshotName("r", "main", 1),)
        with store.open_session(local(), (SnapshotSelector("r", "topic"),)) as reads:
            assert reads.texts(plan_of("r:a.md")).full_texts(("r:a.md",))[0].text == "topic"

    def test_everyone_may_read_only_where_everyone_is_named(self, store: Store) -> None:
        with writing(store) as writes:
            open_rule = AccessRule("local", frozenset({EVERYONE}))
            write(
                writes,
                [
                    document("open.md", "x", rule=open_rule),
                    document(
                        "labelled.md",
                        "x",
                        rule=AccessRule("local", frozenset({EVERYONE}), frozenset({"pii"})),
                    ),
                    document(
                        "high.md", "x", rule=AccessRule("local", frozenset({EVERYONE}), level=1)
                    ),
                    document("foreign.md", "x", rule=AccessRule("other", frozenset({EVERYONE}))),
                ],
            )
            writes.publish()
        with store.open_session(local()) as reads:
            asked = ("r:open.md", "r:labelled.md", "r:high.md", "r:foreign.md")
            assert reads.graph.visible_ids(asked) == ("r:open.md",)

    def test_documents_of_another_embedder_all_count_as_changed(self, store: Store) -> None:
        with writing(store) as writes:
            write(writes, [document("a.md", "one")])
            writes.publish()
        other = EmbedderIdentity("other", "1" * 64, DIMENSIONS)
        with store.open_writer("local", "r", "main", other) as writes:
            assert [held.fingerprint for held in writes.documents.stored().values()] == [""]

    @pytest.mark.requirement(8)
    def test_many_small_ingests_give_what_one_gives(
        self, store: Store, another_store: Callable[[], Store]
    ) -> None:
        """Segments are merged on the way; no number may change."""
        documents = [document(f"{n:02}.md", f"word{n} common", sections=True) for n in range(30)]
        for found in documents:
            with writing(store) as writes:
                write(writes, [found])
                writes.publish()
        whole = another_store()
        with writing(whole) as writes:
            write(writes, documents)
            writes.publish()
        with store.open_session(local()) as few, whole.open_session(local()) as one:
            for over in OVERS:
                rows = [
                    reads.search.nearest(vector("word7 common"), over=over, roll_up=False, top=50)
                    for reads in (few, one)
                ]
                assert rows[0] == rows[1]
            for roll_up in (False, True):
                left, right = (
                    scores_of(reads.search, ("common", "word7"), roll_up=roll_up)
                    for reads in (few, one)
                )
                assert left == right
                assert len(left) == 3
            assert few.counts() == one.counts()
