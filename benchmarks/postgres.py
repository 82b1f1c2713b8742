"""Postgres against SQLite: ingest, and the whole path of a question, with and without its locks.

Both hold the same pages, of twenty classes, half of them readable; both write to the same disk, and
both wait for it. Prints ratios, medians over interleaved rounds; every answer is checked to be the
same, byte for byte. Arguments: rounds, documents.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from benchmarks.cheap_engine import ScatteredEmbedder, cheap_engine, cheap_engine_on
from benchmarks.generated_pages import SECTIONS, WORDS, rule_for
from benchmarks.generated_texts import linked_pages, random_text
from benchmarks.services import Services
from docgraph.adapters.postgres.pool import Pool
from docgraph.engine.content import ContentService
from docgraph.interfaces.auth.principals import local
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import QuestionRequest
from tests.support.memory_source import MemorySource
from tests.support.postgres_server import PostgresServer

QUESTIONS = 20
SERVER = "-c fsync=on -c full_page_writes=on -c synchronous_commit=on -c shared_buffers=512MB"
PIPELINES = ("documents", "flat")


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    engine: Services


def ingest(content: ContentService, pages: dict[str, str]) -> float:
    began = time.perf_counter()
    done = content.ingest(
        local(), MemorySource(pages), repository="r", branch="main", rule_for=rule_for
    )
    spent = time.perf_counter() - began
    print(f"{done.added} documents, {done.chunks} chunks, {spent:.1f} s", file=sys.stderr)
    return spent


@contextmanager
def samples(scratch: Path, server: PostgresServer) -> Iterator[list[Sample]]:
    with ExitStack() as pools:
        pool = pools.enter_context(closing(Pool(server.fresh_database())))
        yield [
            Sample("SQLite", cheap_engine(scratch / "store.db", ScatteredEmbedder)),
            Sample("Postgres", cheap_engine_on(pool, ScatteredEmbedder)),
        ]


def ask(
    sample: Sample, text: str, pipeline: Pipeline, *, locked: bool = True
) -> tuple[float, bytes]:
    """The seconds that an answer takes, and the answer. Without its second lock, Postgres is read
    by the tables' owner, for whom row-level security does not count."""
    with ExitStack() as held:
        if not locked:
            held.enter_context(mock.patch("docgraph.adapters.postgres.store.as_reader"))
        began = time.perf_counter()
        found = sample.engine.questions.retrieve(QuestionRequest(local(), pipeline, text))
        spent = time.perf_counter() - began
    return spent, f"{found.plan.digest}\n{found.context.text}".encode()


def measure(rounds: int, documents: int) -> dict[str, list[float]]:
    ratios: dict[str, list[float]] = {}
    pages = linked_pages(documents, SECTIONS, WORDS)
    server = PostgresServer()
    try:
        server.restart(SERVER)
        for turn in range(rounds):
            with tempfile.TemporaryDirectory(dir=server.folder.parent) as scratch:
                run_round(turn, Path(scratch), server, pages, ratios)
    finally:
        server.close()
    return ratios


def run_round(
    turn: int,
    scratch: Path,
    server: PostgresServer,
    pages: dict[str, str],
    ratios: dict[str, list[float]],
) -> None:
    with samples(scratch, server) as found:
        ways = found if turn % 2 else found[::-1]
        spent = {sample.name: ingest(sample.engine.content, pages) for sample in ways}
        rate = spent["SQLite"] / spent["Postgres"]
        ratios.setdefault("ingest, rate as a share of SQLite's", []).append(rate)
        for pipeline in PIPELINES:
            sqlite, postgres, unlocked = time_stores(found, load(pipeline))
            text = [f"{seconds * 1000:.1f} ms" for seconds in (sqlite, postgres, unlocked)]
            print(pipeline, *text, file=sys.stderr)
            name = f"question ({pipeline}), time as a share of SQLite's"
            ratios.setdefault(name, []).append(postgres / sqlite)
            name = f"the same with row-level security, as a share of without ({pipeline})"
            ratios.setdefault(name, []).append(postgres / unlocked)


def time_stores(found: list[Sample], pipeline: Pipeline) -> tuple[float, float, float]:
    sqlite, postgres = found
    times: dict[str, list[float]] = {"sqlite": [], "postgres": [], "unlocked": []}
    for number in range(2 * QUESTIONS):
        text = random_text(f"question {number % QUESTIONS}", 5, 5)
        answers = {}
        for name, sample, locked in (
            ("sqlite", sqlite, True),
            ("postgres", postgres, True),
            ("unlocked", postgres, False),
        ):
            seconds, answers[name] = ask(sample, text, pipeline, locked=locked)
            if number >= QUESTIONS:  # the first time warms up
                times[name].append(seconds)
        assert len(set(answers.values())) == 1, "the same question has the same answer everywhere"
    one, two, three = (statistics.median(times[name]) for name in times)
    return one, two, three


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    measured = measure(*(given + [3, 10_000][len(given) :]))
    for name, found in measured.items():
        spread = f"{min(found):.2f} to {max(found):.2f}"
        print(f"{statistics.median(found):8.2f}  {name} ({spread})")
