"""Counts on trees nobody here wrote: files, nodes, edges by type, unresolved, seconds.

Prints one row of a Markdown table for each argument: a folder, or a folder with corpus.jsonl.
Embedding is left out, so that the seconds are those of everything else.
"""

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.cheap_engine import cheap_engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.wiring.build import open_folder, open_jsonl, read_jsonl_edges


def row(tree: Path, store: Path) -> str:
    content = cheap_engine(store).content
    corpus, edges = tree / "corpus.jsonl", tree / "edges.jsonl"
    began = time.perf_counter()
    done = content.ingest(
        local(),
        open_jsonl(corpus) if corpus.is_file() else open_folder(tree, 10_000_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
        given=read_jsonl_edges(edges, "r") if edges.is_file() else (),
    )
    seconds = time.perf_counter() - began
    found = content.relation_counts(local())
    by_type = ", ".join(f"{name} {count:,}" for name, count in found.edges)
    unresolved = ", ".join(
        f"{one.relation} ({one.origin}) {one.unresolved:,}" for one in found.found if one.unresolved
    )
    counts = (done.added, len(done.problems), done.nodes, done.chunks, found.unresolved_calls)
    text = [f"{count:,}" for count in counts]
    return f"| {tree.name} | {' | '.join(text)} | {by_type} | {unresolved} | {seconds:.0f} |"


if __name__ == "__main__":
    print(
        "| tree | files | not used | nodes | chunks | unresolved calls | edges | unresolved | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as scratch:
            print(row(Path(name).resolve(), Path(scratch) / "s.db"), flush=True)
