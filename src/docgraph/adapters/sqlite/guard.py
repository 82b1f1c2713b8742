"""A reader's rights, bound to the views that every read selects from."""

import sqlite3
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from docgraph.adapters.named_queries import script
from docgraph.adapters.sql.visible import Rows
from docgraph.adapters.sqlite.connection import PACKAGE, statements


class Guard:
    """Stands before one connection, and lets nothing through until it is told whom to serve."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._flags = b""
        self._snapshots: Mapping[int, int] = {}
        self._mined: frozenset[tuple[int, str]] = frozenset()
        connection.create_function("is_visible", 1, self._is_visible, deterministic=True)
        connection.create_function("in_scope", 3, self._in_scope, deterministic=True)
        connection.create_function("is_mined", 2, self._is_mined, deterministic=True)
        for statement in statements(script(PACKAGE, "visible.sql")):
            connection.execute(statement)

    def serve(self, rows: Rows, mask: npt.NDArray[np.bool_], snapshots: Mapping[int, int]) -> None:
        """`mask` tells by ordinal what is seen, `snapshots` by branch which snapshot is asked."""
        self._flags = mask.tobytes()
        self._snapshots = snapshots
        self._mined = frozenset(
            (branch, miner)
            for branch, number in snapshots.items()
            for miner in rows.snapshots[branch, number].miners
        )

    def let_go(self) -> None:
        self._flags, self._snapshots, self._mined = b"", {}, frozenset()

    def _is_visible(self, ordinal: int) -> int:
        return self._flags[ordinal] if 0 <= ordinal < len(self._flags) else 0

    def _in_scope(self, branch: int, born: int, died: int) -> int:
        return int(branch in self._snapshots and born <= self._snapshots[branch] < died)

    def _is_mined(self, branch: int, miner: str) -> int:
        return (branch, miner) in self._mined
