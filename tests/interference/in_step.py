"""The machine on two stores at once: the same happens to both, and both give the same bytes."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TypeVar

import pytest
from hypothesis.stateful import invariant

from docgraph.model.access import AccessRule
from docgraph.model.edge import Edge
from docgraph.ports.models import Embedder
from tests.interference.everything import told
from tests.interference.homes import Homes
from tests.interference.machine import NoInterference, counts
from tests.interference.stores import GivenUp, Stock
from tests.interference.views import Held, Place, Rules

T = TypeVar("T")


class Twins(Stock):
    """A stock on SQLite, and another one to which the same happens."""

    def __init__(self, homes: Homes) -> None:
        super().__init__()
        self.other = Stock(homes)

    def close(self) -> None:
        super().close()
        self.other.close()

    def ingest(
        self,
        place: Place,
        held: Held,
        rules: Mapping[str, AccessRule],
        embedder: Embedder | None = None,
    ) -> int | None:
        again = copy(embedder)
        return _same(
            lambda: super(Twins, self).ingest(place, held, rules, embedder),
            lambda: self.other.ingest(place, held, rules, again),
        )

    def relate(self, place: Place, edges: Sequence[Edge]) -> int:
        found = super().relate(place, edges)
        assert self.other.relate(place, edges) == found
        return found

    def unrelate(self, place: Place, edges: Sequence[Edge]) -> int:
        found = super().unrelate(place, edges)
        assert self.other.unrelate(place, edges) == found
        return found

    def set_access(self, place: Place, path: str, rule: AccessRule | None) -> None:
        super().set_access(place, path, rule)
        self.other.set_access(place, path, rule)

    def prune(self, place: Place, keep: int) -> None:
        super().prune(place, keep)
        self.other.prune(place, keep)

    def rules_in_force(self) -> Rules:
        found = super().rules_in_force()
        assert self.other.rules_in_force() == found
        return found


class InStep(NoInterference):
    """The same steps, the same questions; the one store's answer is held against the other's."""

    stock: Twins

    def stocked(self) -> Stock:
        return Twins(self.homes)

    @invariant()
    def answers_hang_on_the_view_alone(self) -> None:
        happened, self.stock.stirred = self.stock.stirred, False
        if happened:
            self.library.rules = self.stock.rules_in_force()
        for watch in self.watches:
            asked = (self.reader, watch.wanted)
            one, other = (
                told(watch.probe, stock.engine, *asked) for stock in (self.stock, self.stock.other)
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
    except GivenUp:
        with pytest.raises(GivenUp):
            other()
        raise
    assert other() == found
    return found
