"""When a rule changes, every row that carries it follows, before anyone can ask again."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from docgraph.engine.administration import Administration
from docgraph.model.access import LOCAL, AccessRule
from tests.interference.stores import FailingEmbedder, MachineStore, SimulatedFailure, admin
from tests.interference.views import BranchContent, BranchName
from tests.support.guarded_world import (
    BLUES,
    CLOSED,
    DEV,
    MAIN,
    OPEN,
    READERS,
    REDS,
    RULES,
    SECRET,
    text,
)
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_keys import MemoryKeys
from tests.support.second_lock import SecondLock, open_second_lock

KEEPER = admin(LOCAL)
OLD, NEW = "pkg/f.py", "pkg/e.py"
BLUE = frozenset({"blue"})


@dataclass(frozen=True, slots=True)
class Hands:
    """What can be done to a store of which somebody says who may read it."""

    stock: MachineStore
    administration: Administration

    def set(self, path: str, rule: AccessRule) -> None:
        self.administration.set_access(KEEPER, "r", (path,), rule)

    def publish(
        self, place: BranchName, version: int, rules: Mapping[str, AccessRule], without: str = ""
    ) -> None:
        texts = {path: text(place, path, version) for path in rules if path != without}
        self.stock.ingest(place, BranchContent(texts), {**rules, NEW: OPEN})

    def rename(self) -> None:
        texts = {path: text(MAIN, path, 3) for path in RULES[MAIN] if path not in {"b.md", OLD}}
        moved = {**texts, NEW: text(MAIN, OLD, 3)}
        self.stock.ingest(MAIN, BranchContent(moved), {**RULES[MAIN], NEW: OPEN})

    def set_during_an_ingest(self) -> None:
        """Rows are there already that nobody has published."""
        changed = {path: text(MAIN, path, 5) for path in RULES[MAIN]}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("docgraph.ingest.run.BATCH_FILES", 1)
            with pytest.raises(SimulatedFailure):
                self.stock.ingest(MAIN, BranchContent(changed), RULES[MAIN], FailingEmbedder(3))
        self.set("b.md", CLOSED)
        self.set("a.md", SECRET)


CHANGES: Mapping[str, Callable[[Hands], None]] = {
    "set narrows": lambda hands: hands.set("a.md", REDS),
    "set widens": lambda hands: hands.set("d.md", OPEN),
    "set on code": lambda hands: hands.set("pkg/g.py", REDS),
    "revoke a group": lambda hands: hands.administration.revoke(KEEPER, "r", ("c.md",), BLUE),
    "set on a path that is gone": lambda hands: hands.set("c.md", OPEN),
    "revoke from all": lambda hands: hands.administration.revoke(KEEPER, "r", ("twin.md",)),
    "reset": lambda hands: hands.administration.reset_access(KEEPER, "r", ("a.md", "d.md")),
    "another default branch": lambda hands: hands.administration.set_default_branch(
        KEEPER, "r", "dev"
    ),
    "publish with other rules": lambda hands: hands.publish(
        MAIN, 2, {**RULES[MAIN], "a.md": BLUES, "b.md": OPEN, "hidden-twin.md": OPEN}
    ),
    "publish on the default branch": lambda hands: hands.publish(
        DEV, 2, dict.fromkeys(RULES[DEV], REDS)
    ),
    "publish less": lambda hands: hands.publish(MAIN, 3, RULES[MAIN], without="b.md"),
    "set before a rename": lambda hands: hands.set(OLD, BLUES),
    "rename": Hands.rename,
    "prune": lambda hands: hands.stock.prune(MAIN, 2),
    "set during an ingest": Hands.set_during_an_ingest,
    "publish after one that broke off": lambda hands: hands.publish(MAIN, 6, RULES[MAIN]),
}


@pytest.fixture
def lock(database: str) -> Iterator[SecondLock]:
    with open_second_lock(database) as lock:
        yield lock


@pytest.mark.requirement(37)
def test_every_row_follows_its_rule_at_once(lock: SecondLock) -> None:
    """One change after the other; after each, Postgres alone shows what the rules let through."""
    hands = Hands(
        lock.stock, Administration(lock.stock.engine.content.store, MemoryAudit(), MemoryKeys())
    )
    before = {reader.id: lock.visible_rows(reader) for reader in READERS.values()}
    for name, change in CHANGES.items():
        change(hands)
        assert lock.stock.engine.content.store.verify().problems == (), name
        after = {reader.id: lock.visible_rows(reader) for reader in READERS.values()}
        assert before != after, f"{name}: nothing happened"
        before = after
