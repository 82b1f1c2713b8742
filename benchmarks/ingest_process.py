"""One ingest in a process of its own: prints seconds, peak memory and counts as JSON.

Arguments: folder, store.
"""

import json
import resource
import sys
import time
from pathlib import Path

from benchmarks.cheap_engine import cheap_engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.wiring.build import open_folder


def ingest(folder: Path, store: Path) -> dict[str, float]:
    content = cheap_engine(store).content
    began = time.perf_counter()
    done = content.ingest(
        local(),
        open_folder(folder, 10_000_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )
    return {
        "seconds": time.perf_counter() - began,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "files": done.added + done.unchanged,
        "nodes": done.nodes,
        "chunks": done.chunks,
    }


if __name__ == "__main__":
    print(json.dumps(ingest(Path(sys.argv[1]), Path(sys.argv[2]))))
