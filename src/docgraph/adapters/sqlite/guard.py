"""A reader's rights, bound to the views that every read selects from."""

import sqlite3
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from docgraph.adapters.named_queries import script
from docgraph.adapters.sql.visible import Rows
from docgraph.adapters.sqlite.connection import PACKAGE, statements


def guard(
    connection: sqlite3.Connection,
    rows: Rows,
    mask: npt.NDArray[np.bool_],
    snapshots: Mapping[int, int],
) -> None:
    """`mask` tells by ordinal what is seen, `snapshots` by branch which snapshot is asked."""
    flags = mask.tobytes()
    size = len(flags)
    mined = {
        (b, miner) for b, number in snapshots.items() for miner in rows.snapshots[b, number].miners
    }

    def is_visible(ordinal: int) -> int:
        return flags[ordinal] if 0 <= ordinal < size else 0

    def in_scope(branch: int, born: int, died: int) -> int:
        return int(branch in snapshots and born <= snapshots[branch] < died)

    def is_mined(branch: int, miner: str) -> int:
        return (branch, miner) in mined

    connection.create_function("is_visible", 1, is_visible, deterministic=True)
    connection.create_function("in_scope", 3, in_scope, deterministic=True)
    connection.create_function("is_mined", 2, is_mined, deterministic=True)
    for statement in statements(script(PACKAGE, "visible.sql")):
        connection.execute(statement)
