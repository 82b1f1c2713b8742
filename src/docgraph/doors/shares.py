"""Shares: of what may wait, nobody holds more than their share, so that others find room."""

from docgraph.model.access import Principal

Holder = tuple[str, str]  # tenant and id
PARTS = 4  # of a queue, of which one person may hold one
FEWEST = 72  # so that 64 clients with one key, and a few more, are never sent away


def holder_of(principal: Principal) -> Holder:
    return principal.tenant, principal.id


class Shares:
    """Whoever uses it holds a lock, or stays in one thread."""

    def __init__(self, waiting: int) -> None:
        self._most = max(waiting // PARTS, FEWEST)
        self._held: dict[Holder, int] = {}

    def take(self, holder: Holder) -> bool:
        """False where they hold as much as they may."""
        held = self._held.get(holder, 0)
        if held >= self._most:
            return False
        self._held[holder] = held + 1
        return True

    def give_back(self, holder: Holder) -> None:
        """Whoever holds nothing is not remembered."""
        held = self._held.pop(holder) - 1
        if held:
            self._held[holder] = held
