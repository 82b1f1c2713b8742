"""Filtering by rights: the same searches over the same visible rows, of one class and of many.

Two stores hold the same documents, and the same half of them is visible. In one, that half has one
class and the rest another; in the other, documents are spread over 1,000 classes, 500 readable.
Prints the time with many classes as a share of that with one: medians over interleaved rounds.
Arguments: rounds, documents.
"""

import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from benchmarks.cheap_engine import CheapEmbedder, cheap_engine
from benchmarks.generated_texts import random_text, short_texts
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, LOCAL_ONLY, AccessRule
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.planned_reads import ReaderReranker
from docgraph.search.ranking import Mode
from docgraph.search.search_nodes import search_nodes
from docgraph.wiring.build import open_jsonl

CLASSES = 1000
QUESTIONS = 20
OTHERS = AccessRule(LOCAL, frozenset({"others"}))
Rules = Callable[[str], AccessRule]


@dataclass(frozen=True, slots=True)
class Sample:
    """One store that stays open, as in a server."""

    path: Path
    store: SqliteStore

    def ask(self, question: Question, mode: Mode) -> tuple[float, Seeds]:
        """The seconds that a search takes, from opening the store for its reader on."""
        began = time.perf_counter()
        with self.store.open_session(local()) as reads:
            nobody = ReaderReranker(None, reads, question)
            found = search_nodes(question, reads.search, nobody, mode=mode)
        return time.perf_counter() - began, found

    def change(self) -> None:
        """What every change of the store does: the next question loads all rows again."""
        with closing(sqlite3.connect(self.path)) as raw, raw:
            raw.execute("UPDATE meta SET value = value + 1 WHERE key LIKE '%changes local'")


def one_class(path: str) -> AccessRule:
    return LOCAL_ONLY if draw_access(path)[0] else OTHERS


def many_classes(path: str) -> AccessRule:
    is_visible, team = draw_access(path)
    ours = {LOCAL} if is_visible else set()
    return AccessRule(LOCAL, frozenset({f"team-{team}", *ours}))


def draw_access(path: str) -> tuple[bool, int]:
    """The same for a path each time: whether it is visible, and to which team."""
    chance = random.Random(path)  # noqa: S311
    return chance.random() < 0.5, chance.randrange(CLASSES // 2)


def ingest(store: Path, corpus: Path, rules: Rules) -> None:
    content = cheap_engine(store).content
    content.ingest(
        local(),
        open_jsonl(corpus),
        repository="r",
        branch="main",
        rule_for=rules,
        without=("titles", "names"),
    )


def stores(folder: Path, documents: int) -> tuple[Sample, Sample]:
    """The same file twice; then each gets rules of its own."""
    texts = short_texts(folder / "corpus.jsonl", documents)
    one, many = folder / "one.db", folder / "many.db"
    ingest(one, texts, lambda _: LOCAL_ONLY)
    shutil.copyfile(one, many)
    ingest(one, texts, one_class)
    ingest(many, texts, many_classes)
    return Sample(one, open_store(one)), Sample(many, open_store(many))


def open_store(path: Path) -> SqliteStore:
    return SqliteStore(path, now=lambda: "now")


def questions() -> list[Question]:
    embedder = CheapEmbedder()
    texts = [random_text(f"question {number}", 5, 5) for number in range(QUESTIONS)]
    vectors = embedder.embed(texts)
    return [
        Question(text, tuple(map(int, vector)), embedder.identity)
        for text, vector in zip(texts, vectors, strict=True)
    ]


def measure(rounds: int, documents: int) -> dict[str, list[float]]:
    ratios: dict[str, list[float]] = {}
    asked = questions()
    with tempfile.TemporaryDirectory() as scratch:
        pair = stores(Path(scratch), documents)
        for mode in get_args(Mode):
            compare(pair, asked, mode, cold=False)  # warms up, and proves the answers equal
        for _ in range(rounds):
            for mode in get_args(Mode):
                for cold in (False, True):
                    one, many = compare(pair, asked, mode, cold=cold)
                    name = f"{mode}, first after a change" if cold else mode
                    ratios.setdefault(name, []).append(many / one)
                    text = [f"{seconds * 1000:.1f} ms" for seconds in (one, many)]
                    print(name, *text, file=sys.stderr)
    return ratios


def compare(
    pair: tuple[Sample, Sample], asked: list[Question], mode: Mode, *, cold: bool
) -> tuple[float, float]:
    """Seconds for the median question on either store; alternating which is first."""
    spent: dict[Path, list[float]] = {sample.path: [] for sample in pair}
    for position, question in enumerate(asked):
        found = []
        for sample in pair if position % 2 else pair[::-1]:
            if cold:
                sample.change()
            seconds, seeds = sample.ask(question, mode)
            spent[sample.path].append(seconds)
            found.append(seeds)
        assert found[0] == found[1], "the same visible rows give the same seeds"
        assert found[0].ids
    one, many = (statistics.median(spent[sample.path]) for sample in pair)
    return one, many


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    measured = measure(*(given + [5, 20_000][len(given) :]))
    for name, found in measured.items():
        spread = f"{min(found):.2f} to {max(found):.2f}"
        print(f"{statistics.median(found):8.2f}  {name} ({spread})")
