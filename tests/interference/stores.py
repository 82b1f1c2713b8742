"""Stores for the machine: made quickly, in memory, by the engine's own ingest."""

import itertools
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path

import pytest
import yaml

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.administration import Administration
from docgraph.doors.login import in_the_name_of, local
from docgraph.engine import Engine
from docgraph.model.access import ADMIN, AccessRule, Person, Principal
from docgraph.model.edge import HAND, Edge, Relationship, both_ways
from docgraph.model.vector import IntVector
from docgraph.ports.embedder import Embedder
from docgraph.ports.writes import Writes
from tests.interference.views import Held, Library, Place, Rules, Seen, View
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_source import MemorySource
from tests.support.small_world import IDENTITY, HashedWords, hashed
from tests.support.stand_ins import CountsWords, LikesLongTexts

_numbers = itertools.count()
_hashed = lru_cache(maxsize=20_000)(hashed)


class Remembering(HashedWords):
    """The same vectors, each computed once."""

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [_hashed(text) for text in texts]


class Faltering(Remembering):
    """Gives up after a while, as a model server does."""

    def __init__(self, patience: int) -> None:
        self._patience = patience

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        if self._patience <= 0:
            raise GivenUp
        self._patience -= 1
        return super().embed(texts)


class GivenUp(Exception):
    """An ingest ends here, without a word to the store."""


@cache
def folder() -> Path:
    """In memory where the system has a folder for that: nobody reads these stores again."""
    memory = Path("/dev/shm")
    held = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    _kept.append(held)
    return Path(held.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []


@cache
def _empty() -> Path:
    """A store with nothing in it, to copy: faster than making tables anew."""
    path = folder() / "empty.db"
    SqliteStore(path, now=lambda: "now", wait=5)
    return path


class Stock:
    """One store with its engine and its keeper, and the tools to fill it."""

    def __init__(self) -> None:
        self.path = folder() / f"{next(_numbers)}.db"
        shutil.copyfile(_empty(), self.path)
        self.store = SqliteStore(self.path, now=lambda: "now", wait=5)
        # Someone else has the store open too: its log need not be folded in after every question.
        self._open = sqlite3.connect(self.path, isolation_level=None)
        self._open.execute("SELECT count(*) FROM meta").fetchone()
        self.stirred = False
        self.engine = self.engine_with(Remembering)
        self.keeper = Administration(self.store, MemoryAudit())

    def engine_with(self, embedder: Callable[[], Embedder]) -> Engine:
        clock = time.perf_counter
        return Engine(self.store, embedder, CountsWords, LikesLongTexts, clock, MemoryAudit())

    def close(self) -> None:
        self._open.close()
        for end in ("", "-wal", "-shm", ".ingest.lock"):
            Path(f"{self.path}{end}").unlink(missing_ok=True)

    def ingest(
        self, place: Place, held: Held, rules: Callable[[str], AccessRule], engine: Engine | None = None
    ) -> int | None:
        """The number of the new snapshot, if there is one."""
        self.stirred = True
        texts = dict(held.texts)
        if held.curated:
            texts["relations.yaml"] = _written(held.curated)
        done = (engine or self.engine).ingest(
            admin(place.tenant),
            MemorySource(texts),
            repository=place.repository,
            branch=place.branch,
            rule_for=rules,
            without=sorted(held.without),
        )
        return done.snapshot.snapshot if done.snapshot else None

    @contextmanager
    def writes(self, place: Place) -> Iterator[Writes]:
        self.stirred = True
        with self.store.writes(*place, IDENTITY) as writes:
            yield writes

    def relate(self, place: Place, edges: Sequence[Edge]) -> int:
        """By hand, also to and from what is hidden: the store holds them, readers may not notice."""
        with self.writes(place) as writes:
            writes.add_by_hand([Relationship(edge, (HAND,), ()) for edge in edges])
            return writes.publish().snapshot

    def unrelate(self, place: Place, edges: Sequence[Edge]) -> int:
        with self.writes(place) as writes:
            writes.remove_by_hand(edges)
            return writes.publish().snapshot

    def rules_in_force(self) -> Rules:
        """As the store tells them: of those who may read, not of what they get."""
        told = self.keeper.documents(local())
        return {(Place(local().tenant, a.repository, a.branch), a.path): a.rule for a in told}


def rebuilt(view: View, rules: Rules) -> Stock:
    """A store that has only ever held what one reader may see."""
    stock = Stock()
    for place, (seen,) in view:
        held = Held({path: text for path, text, _ in seen.texts}, frozenset(), seen.curated, frozenset(seen.without))
        stock.ingest(place, held, lambda path, place=place: rules[place, path])
        if seen.by_hand:
            stock.relate(place, seen.by_hand)
    return stock


@cache
def admin(tenant: str) -> Principal:
    return in_the_name_of(Person("keeper", tenant, rights=frozenset({ADMIN})), local())


def _written(edges: Sequence[Edge]) -> str:
    entries = [{"from": e.source, "relation": e.relation, "to": e.target} for e in edges]
    return yaml.safe_dump(entries)


@contextmanager
def small_limits() -> Iterator[None]:
    """So low that a few documents more make a name common, a title anybody's, a segment full."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docgraph.model.shared_name.MOST_HOLDERS", 2)
        patch.setattr("docgraph.plan.settle.NAMESAKES", 1)
        patch.setattr("docgraph.search.search_nodes.NAMESAKES", 1)
        patch.setattr("docgraph.adapters.sqlite.graph._BATCH", 2)
        patch.setattr("docgraph.adapters.sqlite.segment_writer.MOST_SMALL", 2)
        patch.setattr("docgraph.ingest.write.BATCH_FILES", 2)
        yield
