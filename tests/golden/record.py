"""Writes the golden values anew: `python -m tests.golden.record`, with areas to write only those.

A change of a value is a change of behaviour: the difference is reviewed before it is committed.
"""

import sys
import tempfile
from pathlib import Path

from tests.golden.areas import ENGINE, WORLDS, build
from tests.golden.engine_values import worlds
from tests.golden.history import corpus_digests
from tests.golden.installation import on_sqlite
from tests.golden.values import FOLDER, write
from tests.interference.stores import Stock


def main(chosen: list[str]) -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        built = build(on_sqlite(Path(folder)))
        for area, value_of in ENGINE.items():
            value = value_of(built)
            if not chosen or area in chosen:
                write(area, value)
    if not chosen or "worlds" in chosen:
        write("worlds", {str(seed): worlds(Stock(), seed) for seed in WORLDS})
    if not chosen or "corpus" in chosen:
        write("corpus", corpus_digests())


if __name__ == "__main__":
    main(sys.argv[1:])
