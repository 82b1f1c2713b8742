"""Recall of an HNSW index against exact search, with real vectors and real questions.

Ingests DATA/corpus.jsonl into Postgres with the embedder that comes with docgraph, and asks the
questions of DATA/queries.jsonl, as readers who may see all, half and a fiftieth of it. Prints the
recall at 10 against looking at every vector, and the time as a share of that. Argument: DATA.
"""

import json
import statistics
import sys
import time
import zlib
from contextlib import closing
from pathlib import Path

from docgraph.adapters.onnx.granite import GraniteEmbedder
from docgraph.adapters.postgres.audit import PostgresAuditLog
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.store import PostgresStore
from docgraph.engine.audit_trail import AuditTrail
from docgraph.engine.content import ContentService
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, AccessRule, Person, Principal
from docgraph.ports.search_reads import Level
from docgraph.wiring.build import open_jsonl
from tests.support.postgres_server import PostgresServer

TOP = 10
QUESTIONS = 200
SHARES = {"all": 1, "half": 2, "a fiftieth": 50}
OVERS: tuple[Level, ...] = ("sections", "chunks")


def rule_for(path: str) -> AccessRule:
    """In a group for each share that the document belongs to."""
    at = zlib.crc32(path.encode())
    groups = {f"1/{share}" for share in SHARES.values() if at % share == 0}
    return AccessRule(LOCAL, frozenset(groups))


def reader(share: int) -> Principal:
    return impersonated(Person(f"reader-{share}", LOCAL, frozenset({f"1/{share}"})), local())


def measure(data: Path) -> None:
    rows = (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:QUESTIONS]
    embedder = GraniteEmbedder()
    vectors = embedder.embed([json.loads(row)["text"] for row in rows])
    asked = [tuple(map(int, vector)) for vector in vectors]
    server = PostgresServer()
    try:
        with closing(Pool(server.fresh_database())) as pool:
            exact = PostgresStore(pool, now=lambda: "now")
            index = PostgresStore(pool, now=lambda: "now", index="pgvector-hnsw")
            audit = PostgresAuditLog(pool, now=lambda: "now")
            content = ContentService(index, AuditTrail(audit), lambda: embedder)
            done = content.ingest(
                local(),
                open_jsonl(data / "corpus.jsonl"),
                repository="r",
                branch="main",
                rule_for=rule_for,
            )
            print(f"{done.added} documents, {done.nodes} nodes, {done.chunks} chunks")
            for name, share in SHARES.items():
                for over in OVERS:
                    compare(name, reader(share), over, asked, (exact, index))
    finally:
        server.close()


def compare(
    name: str,
    who: Principal,
    over: Level,
    asked: list[tuple[int, ...]],
    stores: tuple[PostgresStore, PostgresStore],
) -> None:
    found: list[float] = []
    spent: tuple[list[float], list[float]] = ([], [])
    for vector in asked:
        answers = []
        for store, times in zip(stores, spent, strict=True):
            began = time.perf_counter()
            with store.open_session(who) as reads:
                near = reads.search.nearest(vector, over=over, roll_up=False, top=TOP)
            times.append(time.perf_counter() - began)
            answers.append({node for node, _ in near})
        found.append(len(answers[0] & answers[1]) / len(answers[0]))
    exact, index = (statistics.median(times) for times in spent)
    print(
        f"{over}, of which the reader sees {name}: recall {statistics.mean(found):.3f}, "
        f"lowest {min(found):.1f}; time {index / exact:.2f} x"
    )


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
