"""The machine on two stores at once: the same happens to both, and both give the same bytes."""

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
from tests.interference.store_factories import Homes
from tests.interference.stores import MachineStore, SimulatedFailure
from tests.interference.views import BranchName, Rules, StoredFile

T = TypeVar("T")


class TwinStores(MachineStore):
    """A stock on SQLite, and another one to which the same happens."""

    def __init__(self, homes: Homes) -> None:
        super().__init__()
        self.other = MachineStore(homes)

    def close(self) -> None:
        super().close()
        self.other.close()

    def ingest(
        self,
        place: BranchName,
        held: StoredFile,
        rules: Mapping[str, AccessRule],
        embedder: Embedder | None = None,
    ) -> int | None:
        again = copy(embedder)
        return _same(
            lambda: super(TwinStores, self).ingest(place, held, rules, embedder),
            lambda: self.other.ingest(place, held, rules, again),
        )

    def relate(self, place: BranchName, edges: Sequence[Edge]) -> int:
        found = super().relate(place, edges)
        assert self.other.relate(place, edges) == found
        return found

    def unrelate(self, place: BranchName, edges: Sequence[Edge]) -> int:
        found = super().unrelate(place, edges)
        assert self.other.unrelate(place, edges) == found
        return found

    def set_access(self, place: BranchName, path: str, rule: AccessRule | None) -> None:
        super().set_access(place, path, rule)
        self.other.set_access(place, path, rule)

    def prune(self, place: BranchName, keep: int) -> None:
        super().prune(place, keep)
        self.other.prune(place, keep)

    def effective_rules(self) -> Rules:
        found = super().effective_rules()
        assert self.other.effective_rules() == found
        return found


class TwinInterference(NoInterference):
    """The same steps, the same questions; the one store's answer is held against the other's."""

    stock: TwinStores

    def open_store(self) -> MachineStore:
        return TwinStores(self.homes)

    @invariant()
    def answers_hang_on_the_view_alone(self) -> None:
        happened, self.stock.stirred = self.stock.stirred, False
        if happened:
            self.library.rules = self.stock.effective_rules()
        for watch in self.watches:
            asked = (self.reader, watch.selectors)
            one, other = (
                results_of(watch.probe, stock.engine, *asked)
                for stock in (self.stock, self.stock.other)
            )
            assert one == other, watch
            counts["in step"] += 1

    def teardown(self) -> None:
        counts["runs"] += 1
        self.stock.close()


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
