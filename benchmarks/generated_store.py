"""Stores of generated pages, each ingested once and reused.

A store is kept under a digest of the code that writes it, so that a figure is never taken from one
that another docgraph wrote. Arguments: folder, documents.
"""

import hashlib
import sys
import time
from pathlib import Path

from benchmarks.cheap_engine import ScatteredEmbedder, cheap_engine
from benchmarks.generated_pages import GeneratedPages, rule_for
from docgraph.interfaces.auth.principals import local

ROOT = Path(__file__).parent.parent
CACHE_FOLDER = ROOT / "build" / "bench"
WRITES = (
    "benchmarks/cheap_engine.py",
    "benchmarks/generated_texts.py",
    "benchmarks/generated_pages.py",
    "src/docgraph/adapters/sql",
    "src/docgraph/adapters/sqlite",
    "src/docgraph/ingest",
    "src/docgraph/model",
)


def generated_store(folder: Path, documents: int, *, stale: bool = False) -> Path:
    """The path of the store. One of older code is reused if `stale` is set, else deleted."""
    store = folder / f"made-{documents}-{code()[:12]}.db"
    older = sorted(folder.glob(f"made-{documents}-*.db"), key=lambda file: file.stat().st_mtime)
    if store.exists() or (stale and older):
        return store if store.exists() else older[-1]
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"made-{documents}-*"):
        left.unlink()
    print(f"making a store of {documents:,} documents, once", file=sys.stderr, flush=True)
    began = time.monotonic()
    half = store.with_suffix(".half")
    cheap_engine(half, ScatteredEmbedder).content.ingest(
        local(), GeneratedPages(documents), repository="r", branch="main", rule_for=rule_for
    )
    half.rename(store)
    for left in folder.glob(f"{half.name}*"):
        left.unlink()
    print(f"that took {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return store


def code() -> str:
    """A digest of everything that determines the content of a generated store."""
    whole = hashlib.sha256()
    for name in WRITES:
        for file in sorted([ROOT / name, *(ROOT / name).rglob("*")]):
            if file.suffix in {".py", ".sql"}:
                whole.update(f"\n{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return whole.hexdigest()


if __name__ == "__main__":
    print(generated_store(Path(sys.argv[1]), int(sys.argv[2])))
