"""The state machine on two stores at once: after the same changes both give the same bytes."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TypeVar

import pytest
from hypothesis.stateful import invariant

from docgraph.model.access import AccessRule
from docgraph.model.edge import Edge
from docgraph.ports.models import Embedder
from tests.interference.machine import NoInterference, counts
from tests.interference.probes import results_of
from tests.interference.store_factories import StoreFactory
from tests.interference.stores import MachineStore, SimulatedFailure
from tests.interference.views import BranchContent, BranchName, Rules

T = TypeVar("T")


class TwinStores(MachineStore):
    """A stock on SQLite, and another one to which the same happens."""

    def __init__(self, store_factory: StoreFactory) -> None:
        super().__init__()
        self.other = MachineStore(store_factory)

    def close(self) -> None:
        super().close()
        self.other.close()

    def ingest(
        self,
        branch: BranchName,
        content: BranchContent,
        rules: Mapping[str, AccessRule],
        embedder: Embedder | None = None,
        *,
        in_stages: bool = False,
    ) -> int | None:
        again = copy(embedder)
        return _same(
            lambda: super(TwinStores, self).ingest(
                branch, content, rules, embedder, in_stages=in_stages
            ),
            lambda: self.other.ingest(branch, content, rules, again, in_stages=in_stages),
        )

    def relate(self, branch: BranchName, edges: Sequence[Edge]) -> int:
        found = super().relate(branch, edges)
        assert self.other.relate(branch, edges) == found
        return found

    def unrelate(self, branch: BranchName, edges: Sequence[Edge]) -> int:
        found = super().unrelate(branch, edges)
        assert self.other.unrelate(branch, edges) == found
        return found

    def set_access(self, branch: BranchName, path: str, rule: AccessRule | None) -> None:
        super().set_access(branch, path, rule)
        self.other.set_access(branch, path, rule)

    def prune(self, branch: BranchName, keep: int) -> None:
        super().prune(branch, keep)
        self.other.prune(branch, keep)

    def effective_rules(self) -> Rules:
        found = super().effective_rules()
        assert self.other.effective_rules() == found
        return found


class TwinInterference(NoInterference):
    """The same steps, the same questions; the one store's answer is held against the other's."""

    store: TwinStores

    def open_store(self) -> MachineStore:
        return TwinStores(self.store_factory)

    @invariant()
    def answers_hang_on_the_view_alone(self) -> None:
        happened, self.store.stirred = self.store.stirred, False
        if happened:
            self.library.rules = self.store.effective_rules()
        for watch in self.watches:
            asked = (self.reader, watch.selectors)
            one, other = (
                results_of(watch.probe, store.engine, *asked)
                for store in (self.store, self.store.other)
            )
            assert one == other, watch
            counts["in step"] += 1

    def teardown(self) -> None:
        counts["runs"] += 1
        self.store.close()


def _same(one: Callable[[], T], other: Callable[[], T]) -> T:
    """Both give up, or neither does."""
    try:
        found = one()
    except SimulatedFailure:
        with pytest.raises(SimulatedFailure):
            other()
        raise
    assert other() == found
    return found
