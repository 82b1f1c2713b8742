"""Hidden documents change no byte of what a reader gets."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, AccessRule
from docgraph.model.node import path_of
from docgraph.model.snapshot import SnapshotSelector
from tests.interference.machine import counts
from tests.interference.probes import (
    PIPELINES,
    QUESTIONS,
    AskProbe,
    ExecutePlanProbe,
    GraphReadsProbe,
    Probe,
    RefusalsProbe,
    SearchReadsProbe,
    TextReadsProbe,
    everything,
    refusal,
    results_of,
)
from tests.interference.runs import EXAMPLES, NUMBER, THOROUGH, prove
from tests.interference.stores import MachineStore, small_limits
from tests.interference.views import BranchContent, BranchName
from tests.interference.worlds import HIDDEN, VISIBLE, files
from tests.unit.ingest.fakes import candidates

KINDS = {
    *("AskProbe", "ExecutePlanProbe", "RelationsProbe", "RelationCountsProbe", "StatusProbe"),
    *("ContentDigestProbe", "SnapshotsProbe", "DifferencesProbe", "GraphReadsProbe"),
    *("SearchReadsProbe", "TextReadsProbe", "SessionProbe", "RefusalsProbe"),
}
MAIN_BRANCH = BranchName(LOCAL, "r", "main")
DIGEST = re.compile(r"[0-9a-f]{64}")


@pytest.fixture
def store() -> Iterator[MachineStore]:
    store = MachineStore()
    yield store
    store.close()


@pytest.mark.requirement(36)
@pytest.mark.parametrize(("shard", "steps"), [(NUMBER, 4), (1, 6)])
def test_hidden_documents_change_no_byte(shard: int, steps: int, thorough: bool) -> None:
    """Runs with other readers, corpora and histories: 500, 2,000 in `make check`, 100,000 in `make
    prove`."""
    examples = THOROUGH if thorough else EXAMPLES
    counts.clear()
    with small_limits():
        prove(shard, examples, steps=steps, phases=(Phase.generate, Phase.shrink))
    assert counts["runs"] >= examples
    assert counts["comparisons"] >= steps * examples
    assert [kind for kind in (*sorted(KINDS), "broken off", "pruned") if not counts[kind]] == []


def test_the_same_number_gives_the_same_runs() -> None:
    found = []
    for _ in range(2):
        counts.clear()
        with small_limits():
            prove(5, 12)
        found.append(dict(counts))
    assert found[0] == found[1]


def test_the_worlds_relate_visible_and_hidden_documents_in_every_way() -> None:
    """Every miner but that of tables has edges among the visible, and to and from the hidden."""
    seen: set[tuple[str, bool, bool]] = set()
    ways = [(True, True), (True, False), (False, True)]
    selectors = {(miner, *kind) for miner in ALL_MINERS - {"tables"} for kind in ways}

    @settings(max_examples=4_000, phases=(Phase.generate,))
    @given(files(4, 6), st.integers(0, 5))
    def collect(texts: dict[str, str], hidden: int) -> None:
        if seen >= selectors:
            return
        visible = [path for at, path in enumerate(texts) if (at + hidden) % 3]
        for found in candidates(texts):
            ends = (path_of(found.edge.source), path_of(found.edge.target))
            first, second = (end in visible for end in ends)
            seen.update((origin, first, second) for origin in found.origins)

    collect()
    assert seen >= selectors


def test_the_harness_sees_a_visible_change(store: MachineStore) -> None:
    """A harness that cannot fail proves nothing."""
    texts = {"a.md": "# Rocket\n\nfuel\n"}
    store.ingest(MAIN_BRANCH, BranchContent(texts), {"a.md": VISIBLE[0]})
    before = everything(store.engine, local())
    more = {**texts, "h.md": "# Fuel\n\nthrust\n"}
    store.ingest(MAIN_BRANCH, BranchContent(more), dict.fromkeys(more, VISIBLE[0]))
    assert everything(store.engine, local()) != before


@pytest.mark.requirement(36)
@pytest.mark.parametrize("rule", [VISIBLE[0], HIDDEN[0]])
@pytest.mark.parametrize("hidden", ["a.md", "z.md"])
def test_a_hidden_file_with_the_same_text_changes_nothing_after_a_rename(
    hidden: str, rule: AccessRule
) -> None:
    """A document with a manual rule is renamed; the hidden one, which has one too, is removed."""
    results = []
    for others in ({}, {hidden: "# Rocket\n\nfuel\n"}):
        store = MachineStore()
        texts = {"deep/c.md": "# Rocket\n\nfuel\n", "h.md": "# Fuel\n\nthrust\n"}
        rules = {**dict.fromkeys((*texts, "new.md"), VISIBLE[1]), hidden: HIDDEN[0]}
        store.ingest(MAIN_BRANCH, BranchContent({**texts, **others}), rules)
        for path in others:
            store.set_access(MAIN_BRANCH, path, HIDDEN[1])
        store.set_access(MAIN_BRANCH, "deep/c.md", rule)
        after = {"new.md": texts["deep/c.md"], "h.md": texts["h.md"]}
        store.ingest(MAIN_BRANCH, BranchContent(after), rules)
        results.append(everything(store.engine, local()))
        store.close()
    assert results[0] == results[1]


def ingest_hidden_documents(store: MachineStore) -> None:
    texts = {"a.md": "# Rocket\n\nfuel [see](/h.md)\n", "h.md": "# Fuel\n\n## Part\n\nthrust\n"}
    store.ingest(MAIN_BRANCH, BranchContent(texts), {"a.md": VISIBLE[0], "h.md": HIDDEN[0]})
    store.ingest(
        BranchName(LOCAL, "s", "main"), BranchContent(texts), dict.fromkeys(texts, HIDDEN[1])
    )


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    ("hidden", "absent"),
    [("r:h.md", "r:z.md"), ("r:h.md#part", "r:z.md#part"), ("s:a.md", "z:a.md")],
)
def test_a_hidden_and_an_absent_id_read_the_same_apart_from_themselves(
    store: MachineStore, hidden: str, absent: str
) -> None:
    ingest_hidden_documents(store)
    for one, other in zip(naming(hidden), naming(absent), strict=True):
        there, nowhere = (
            results_of(probe, store.engine, local()).decode() for probe in (one, other)
        )
        assert DIGEST.sub("", there).replace(hidden, absent) == DIGEST.sub("", nowhere)


def naming(node: str) -> list[Probe]:
    """Digests are left out of what they bring: an edited plan's holds the ids that it names."""
    every = range(len(PIPELINES))
    found: list[Probe] = [AskProbe("", at, (node,)) for at in every]
    found += [AskProbe(QUESTIONS[0], at, ("r:a.md", node)) for at in every]
    found += [ExecutePlanProbe(("r:a.md", node), QUESTIONS[0], at) for at in (0, 1)]
    found += [GraphReadsProbe((node,)), SearchReadsProbe((node,), QUESTIONS[0])]
    return [*found, TextReadsProbe((node,), QUESTIONS[0]), RefusalsProbe((node,), ())]


@pytest.mark.requirement(36)
@pytest.mark.parametrize(
    ("hidden", "absent"),
    [
        (SnapshotSelector("s"), SnapshotSelector("z")),
        (SnapshotSelector("s", "main"), SnapshotSelector("z", "main")),
        (SnapshotSelector("s", "main", 1), SnapshotSelector("z", "main", 1)),
    ],
)
def test_a_hidden_and_an_absent_repository_are_refused_in_the_same_words(
    store: MachineStore, hidden: SnapshotSelector, absent: SnapshotSelector
) -> None:
    ingest_hidden_documents(store)
    words = [refusal(store.engine, local(), selector) for selector in (hidden, absent)]
    assert words[0].replace("'s'", "'z'") == words[1] != "visible"
