"""`make quality`: measures every dataset in the folder, and writes its tables into a page."""

import argparse
import os
import sys
from functools import cache
from pathlib import Path

from benchmarks.quality_page import replace_tables, set_names
from benchmarks.quality_set import measure
from benchmarks.quality_tables import tables
from docgraph.evaluation.dataset import read_dataset
from docgraph.model.errors import DocgraphError
from docgraph.ports.models import Embedder
from docgraph.wiring.models import open_embedder
from docgraph.wiring.settings import read_settings

ROOT = Path(__file__).parent.parent


def main() -> int:
    asked = _arguments()
    if not asked.data.is_dir():
        print(f"{asked.data}: no such folder; say where the sets are: make quality DATA=folder")
        return 2
    page = asked.page.read_text(encoding="utf-8") if asked.page.is_file() else "# Quality\n"
    there = {path.parent.name: path.parent for path in sorted(asked.data.glob("*/queries.jsonl"))}
    selected = asked.sets or sorted({*there, *set_names(page)})
    asked.stores.mkdir(parents=True, exist_ok=True)
    try:  # what is wrong with a set or the page is known before the first set is measured
        for name in filter(there.__contains__, selected):
            read_dataset(there[name])
            asked.page.open("a").close()
    except (DocgraphError, OSError) as error:
        print(error)
        return 2
    for name in selected:
        if name not in there:
            print(f"{name}: not in {asked.data}; skipped, its tables stay as they are")
            continue
        found = measure(there[name], asked.stores / f"{name}.db", _embedder, asked.limit)
        written = tables(found)
        # Read again: another set may have been measured beside this one.
        page = asked.page.read_text(encoding="utf-8") if asked.page.is_file() else page
        asked.page.write_text(replace_tables(page, name, written), encoding="utf-8")
        print(f"{name}: written to {asked.page}\n\n{written}\n", flush=True)
    if not there:
        print(f"{asked.data}: no set is there: a set is a folder with queries.jsonl")
    return 0 if there else 2


@cache
def _embedder() -> Embedder:
    return open_embedder(read_settings(os.environ, ROOT))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="quality", description=__doc__)
    parser.add_argument("data", type=Path, help="a folder of sets")
    parser.add_argument("sets", nargs="*", help="only these; otherwise all that are there")
    parser.add_argument("--stores", type=Path, default=ROOT / "build" / "quality")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "quality.md")
    parser.add_argument("--limit", type=int, help="only the first so many questions of each set")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
