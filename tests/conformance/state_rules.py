"""What a reader knows of versions is what the store holds, however it came to know it."""

import pytest

from docgraph.adapters.sql import tenant_state
from docgraph.adapters.sql.version_table import VersionTable, extend_rows, load_rows
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotInfo, SnapshotSelector
from docgraph.ports.store import Store
from tests.conformance.queue_rules import Patient
from tests.conformance.store_rules import HIDDEN, writing
from tests.support.small_world import document, write

OPEN = LOCAL_ONLY


class Loads:
    """Counts how often versions were read anew, and how often they were only extended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.whole = self.extended = 0
        monkeypatch.setattr(tenant_state, "load_rows", self._load)
        monkeypatch.setattr(tenant_state, "extend_rows", self._extend)

    def _load(self, *asked: object) -> VersionTable:
        self.whole += 1
        return load_rows(*asked)  # type: ignore[arg-type]

    def _extend(self, *asked: object) -> VersionTable:
        self.extended += 1
        return extend_rows(*asked)  # type: ignore[arg-type]


def publish(store: Store, branch: str = "main", **texts: str) -> None:
    """Documents by name; an empty text removes one, a first `!` hides it."""
    with writing(store, branch=branch) as writes:
        made = [
            document(f"{name}.md", text.strip("!"), rule=HIDDEN if text[0] == "!" else OPEN)
            for name, text in texts.items()
            if text
        ]
        write(writes, made)
        writes.documents.remove([f"{name}.md" for name, text in texts.items() if not text])
        writes.publish()


def known(store: Store) -> tuple[object, ...]:
    """All that a reader sees of every snapshot."""
    listed: tuple[SnapshotInfo, ...] = store.snapshots(local())
    found: list[object] = [*listed]
    for info in listed:
        selector = SnapshotSelector(info.name.repository, info.name.branch, info.name.snapshot)
        with store.open_session(local(), (selector,)) as reads:
            found.append((reads.versions(), reads.counts()))
    with store.open_session(local(), ALL_REPOSITORIES) as reads:
        found.append((reads.scope, reads.versions(), reads.counts()))
    return tuple(found)


class StateRules:
    """`patient` opens the same store as a process does that knows nothing of it yet."""

    def test_publications_extend_what_is_known(
        self, store: Store, patient: Patient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        publish(store, a="one", b="two")
        known(store)
        loads = Loads(monkeypatch)
        steps: list[tuple[str, dict[str, str]]] = [
            ("main", {"a": "one more"}),
            ("main", {"c": "!three", "b": ""}),
            ("side", {"a": "elsewhere"}),
            ("main", {"b": "back again", "d": "four"}),
            ("side", {"b": "new here"}),
        ]
        for count, (branch, texts) in enumerate(steps, 1):
            publish(store, branch, **texts)
            before = known(store)
            assert (loads.whole, loads.extended) == (0, count)
            assert before == known(patient(5))
            loads.whole = 0

    def test_an_ingest_under_way_is_not_known_and_what_it_ended_lives_on(
        self, store: Store, patient: Patient
    ) -> None:
        publish(store, a="one", b="two")
        known(store)
        with writing(store) as writes:
            write(writes, [document("a.md", "never published"), document("x.md", "nor this")])
            writes.documents.remove(["b.md"])
            assert known(store) == known(patient(5))
        publish(store, d="four")
        assert known(store) == known(patient(5))
        with store.open_session(local()) as reads:
            assert {"r:a.md", "r:b.md", "r:d.md"} <= reads.versions().keys()
            assert "r:x.md" not in reads.versions()

    @pytest.mark.requirement(36)
    def test_a_class_that_changes_is_noticed_by_readers_who_knew_another(
        self, store: Store, patient: Patient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        publish(store, a="one", b="two")
        known(store)
        loads = Loads(monkeypatch)
        publish(store, a="!one, hidden now")
        assert known(store) == known(patient(5))
        assert loads.whole == 2  # one of them is the other process's
        with store.open_session(local(), (SnapshotSelector("r", "main", 1),)) as reads:
            assert list(reads.versions()) == ["r:b.md"]
        with store.access_policy("local") as policy:
            policy.set_manual_rule("r", ("b.md",), AccessRule("local", frozenset({"others"})))
        assert store.snapshots(local()) == patient(5).snapshots(local()) == ()

    def test_a_prune_is_noticed(self, store: Store, patient: Patient) -> None:
        for text in ("one", "two", "three"):
            publish(store, a=text)
        known(store)
        store.prune("local", "r", "main", 1)
        assert known(store) == known(patient(5))
        publish(store, a="four", b="five")
        assert known(store) == known(patient(5))
