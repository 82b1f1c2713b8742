"""Writes the golden values anew: `python -m tests.golden.record`, with areas to write only those.

A changed value is changed behaviour: its difference is reviewed before it is committed.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden.areas import ENGINE, INTERFACES, WORLDS, build
from tests.golden.engine_values import worlds
from tests.golden.history import frozen_digests
from tests.golden.installation import on_sqlite
from tests.golden.values import write
from tests.interference.stores import MachineStore


def main(chosen: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for area, value in recorded(Path(folder)):
            if not chosen or area in chosen:
                write(area, value)


def recorded(folder: Path) -> Iterator[tuple[str, Any]]:
    yield "corpus", frozen_digests()
    yield "worlds", {str(seed): worlds(MachineStore(), seed) for seed in WORLDS}
    built = build(on_sqlite(folder))
    for area, value_of in ENGINE.items():
        yield area, value_of(built)
    for name, values_of in INTERFACES.items():
        (folder / name).mkdir()
        yield from values_of(folder / name, built, folder / "store.db").items()


if __name__ == "__main__":
    os.environ["DOCGRAPH_VECTOR_CACHE"] = "off"  # as in tests: a hit is not counted as embedded
    main(sys.argv[1:])
