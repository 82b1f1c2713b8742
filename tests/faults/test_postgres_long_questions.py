"""A question that takes long: whatever happens meanwhile, it is answered as of its beginning."""

from collections.abc import Callable

import pytest

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, AccessRule
from docgraph.model.digest import canonical
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.store import ReaderSession
from tests.conformance.published import publish
from tests.conformance.store_rules import OVERS, plan_of, vector
from tests.faults.fault_store import StoreOpener
from tests.support.graph_edges import all_edges
from tests.support.lexical_scores import scores_of
from tests.support.small_world import document, reference

PATHS = ("a.md", "b.md", "c.md", "d.md")
IDS = tuple(f"r:{path}" for path in PATHS)


def publish_snapshot(store: PostgresStore) -> None:
    publish(store, document("a.md", "apples anew"), document("z.md", "apples and more apples"))


def merge_segments(store: PostgresStore) -> None:
    """Of so many segments that they become one."""
    for number in range(5):
        publish(store, document(f"more {number}.md", f"apples {number}"))


def prune_snapshots(store: PostgresStore) -> None:
    """The snapshot that is asked goes for good, with texts and vectors that only it held."""
    for path in PATHS:
        publish(store, document(path, f"nothing of {path} is left"))
    assert store.prune("local", "r", "main", keep=1).vectors


def revoke_access(store: PostgresStore) -> None:
    with store.access_policy("local") as policies:
        policies.revoke("r", PATHS, frozenset({LOCAL}))


def read_everything(reads: ReaderSession, search: SearchReads) -> bytes:
    found = scores_of(search, ("apples", "pears"), roll_up=False)
    texts = reads.texts(plan_of(*IDS))
    scores = [score for node in IDS for score in texts.chunk_scores(node)]
    return canonical(
        {
            "scope": [one.snapshot for one in reads.scope.snapshots],
            "versions": reads.versions(),
            "counts": reads.counts(),
            "near": [search.nearest(vector("apples"), over=o, roll_up=True, top=9) for o in OVERS],
            "words": found,
            "edges": [one.edge for one in all_edges(reads.graph)],
            "concepts": [one.title for one in texts.concepts(IDS)],
            "texts": [one.text for one in texts.chunks(tuple(scores))],
        }
    )


@pytest.mark.requirement(9)
@pytest.mark.parametrize(
    "change", [publish_snapshot, merge_segments, prune_snapshots, revoke_access]
)
@pytest.mark.parametrize("rules", [1, 20])
def test_changes_during_a_question_are_not_seen(
    database: str, open_pooled: StoreOpener, change: Callable[[PostgresStore], None], rules: int
) -> None:
    """For each rule there are segments of its own; many of them are searched as one."""
    store = open_pooled(database)
    distinct = [AccessRule(LOCAL, frozenset({LOCAL, f"group {number}"})) for number in range(rules)]
    publish(store, *(document(f"{n}.md", "pears", rule=rule) for n, rule in enumerate(distinct)))
    for path in PATHS:
        link = reference(f"r:{path}", "doc:pear")
        publish(store, document(path, f"apples of {path}", names=["pear"], references=[link]))
    cold = open_pooled(database)  # it has nothing in its memory
    with store.open_session(local()) as early, cold.open_session(local()) as late:
        first_search = early.search
        change(store)
        now = set()
        for other in (store, cold):
            with other.open_session(local()) as reads:
                now.add(read_everything(reads, reads.search))
        found = read_everything(late, late.search)
        assert found == read_everything(early, first_search) == read_everything(early, early.search)
        assert len(now) == 1
        assert found not in now
        assert found.count(b"apples of ") == len(PATHS)
    assert store.verify().problems == ()
