"""The bare loop: reads the same files, splits them, and inserts the rows into SQLite.

The rows are those of a finished store, in memory before the clock starts: what is timed is
reading, splitting and inserting, with nothing decided. With `syntax` as a fourth argument it also
parses and queries Python with tree-sitter, and drops what that finds; with `chunks`, only the
chunks' texts are inserted, into a table without an index. Arguments: folder, finished store, new
store.
"""

import json
import sqlite3
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from semantic_text_splitter import TextSplitter

from docgraph.adapters.sqlite.connection import connect, create_or_check
from docgraph.ingest.chunking import CHUNK_CHARACTERS
from docgraph.ingest.languages.python import PYTHON
from docgraph.ingest.languages.source import SourceCode

BATCH = 64
PER_DOCUMENT = ("document_nodes", "vector_chunks", "definitions", "node_references")
ONCE = ("branches", "vectors", "contents", "segments", "postings", "snapshots", "access_classes")
Rows = list[tuple[Any, ...]]


def read_tables(store: Path) -> tuple[dict[str, Rows], dict[int, dict[str, Rows]]]:
    """Rows by table: those written once, and those of each document."""
    raw = sqlite3.connect(store)
    once = {name: raw.execute(f"SELECT * FROM {name}").fetchall() for name in (*ONCE, "documents")}
    each: defaultdict[int, dict[str, Rows]] = defaultdict(lambda: {n: [] for n in PER_DOCUMENT})
    for name in PER_DOCUMENT:
        position = [c[1] for c in raw.execute(f"PRAGMA table_info({name})")].index("document")
        for row in raw.execute(f"SELECT * FROM {name}"):
            each[row[position]][name].append(row)
    raw.close()
    return once, each


def insert_files(folder: Path, store: Path, new: Path, *, syntax: bool) -> float:
    once, each = read_tables(store)
    documents = {row[2]: row for row in once.pop("documents")}
    create_or_check(new)
    splitter = TextSplitter(CHUNK_CHARACTERS)
    began = time.perf_counter()
    raw = connect(new)
    raw.execute("PRAGMA synchronous = FULL")
    waiting = sorted(documents)
    share = {name: -(-len(rows) // max(len(waiting) // BATCH, 1)) for name, rows in once.items()}
    for turn, at in enumerate(range(0, len(waiting), BATCH)):
        raw.execute("BEGIN IMMEDIATE")
        for path in waiting[at : at + BATCH]:
            text = (folder / path).read_bytes().decode("utf-8-sig")
            splitter.chunks(text)
            if syntax and path.endswith(".py"):
                SourceCode(PYTHON, path, text)
            _insert(raw, "documents", [documents[path]])
            for name, rows in each[documents[path][0]].items():
                _insert(raw, name, rows)
        for name, rows in once.items():
            _insert(raw, name, rows[turn * share[name] : (turn + 1) * share[name]])
        raw.execute("COMMIT")
    raw.close()
    return time.perf_counter() - began


def insert_chunks(folder: Path, store: Path, new: Path) -> float:
    paths = sorted(row[0] for row in sqlite3.connect(store).execute("SELECT path FROM documents"))
    splitter = TextSplitter(CHUNK_CHARACTERS)
    began = time.perf_counter()
    raw = sqlite3.connect(new, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("CREATE TABLE chunks (path, position, start_offset, text)")
    for at in range(0, len(paths), BATCH):
        raw.execute("BEGIN")
        for path in paths[at : at + BATCH]:
            found = splitter.chunk_indices((folder / path).read_bytes().decode("utf-8-sig"))
            rows = [(path, number, start, text) for number, (start, text) in enumerate(found)]
            raw.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", rows)
        raw.execute("COMMIT")
    raw.close()
    return time.perf_counter() - began


def _insert(raw: sqlite3.Connection, table: str, rows: Rows) -> None:
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        raw.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


if __name__ == "__main__":
    folder, store, new = map(Path, sys.argv[1:4])
    mode = sys.argv[4:]
    if mode == ["chunks"]:
        seconds = insert_chunks(folder, store, new)
    else:
        seconds = insert_files(folder, store, new, syntax=mode == ["syntax"])
    print(json.dumps({"seconds": seconds}))
