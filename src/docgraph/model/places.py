"""Places: where a text names another node, and whether anyone goes by that name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """Places by who found them: `met` are answered by some node, `unmet` should be and are not."""

    miner: str
    relation: str
    met: int
    unmet: int


@dataclass(frozen=True, slots=True, order=True)
class Unresolved:
    """A reference that nothing answers."""

    path: str
    line: int
    what: str
