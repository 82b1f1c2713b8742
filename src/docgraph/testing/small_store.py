"""A real store with a few documents, for conformance suites: no model, no network."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.run import ingest
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, AccessRule, Person, Principal
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import ALL_REPOSITORIES, PruneResult, SnapshotSelector
from docgraph.model.tokenize import tokenize
from docgraph.model.vector import IntVector, to_integers
from docgraph.ports.indexes import VectorIndex
from docgraph.ports.search_reads import Level
from docgraph.ports.source import SourceFile, SourceProblem
from docgraph.ports.store import Store, StoreOptions
from docgraph.wiring.backends import backend_for

DIMENSIONS = 16
LEVELS: tuple[Level, ...] = ("documents", "sections", "chunks")
OPEN = AccessRule(LOCAL, frozenset({"everyone"}))
RED, BLUE = AccessRule(LOCAL, frozenset({"red"})), AccessRule(LOCAL, frozenset({"blue"}))
OTHER_TENANT = "abroad"
QUESTIONS = ("red valve", "unknown", "")
TOPS = (1, 3, 1000)
Hits = tuple[tuple[str, int], ...]


class HashedWords:
    """An embedder: texts that share words are close, and every machine gives the same numbers."""

    identity = EmbedderIdentity("hashed-words", "0" * 64, DIMENSIONS)

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [hash_vector(text) for text in texts]


def hash_vector(text: str) -> IntVector:
    total = np.zeros(DIMENSIONS, dtype=np.float64)
    for word in tokenize(text):
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:DIMENSIONS]
        total += np.frombuffer(digest, dtype=np.uint8).astype(np.float64) - 127.5
    return to_integers(total)


def question_vector(text: str) -> tuple[int, ...]:
    return tuple(hash_vector(text).tolist())


def reader(*groups: str, tenant: str = LOCAL) -> Principal:
    return impersonated(Person("reader", tenant, frozenset(groups)), local())


@dataclass(frozen=True, slots=True)
class Texts:
    """A source: texts by path."""

    texts: Mapping[str, str]

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        for path, text in self.texts.items():
            yield SourceFile(path, len(text.encode()))

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        return self.texts[file.path].encode()


@dataclass
class SmallStore:
    """A store at an address, with an external index or, without one, the packed index.

    `seconds` is its clock: what an index does later is due by it.
    """

    address: str
    index: VectorIndex | None = None
    seconds: float = 0.0
    store: Store = field(init=False)

    def __post_init__(self) -> None:
        options = StoreOptions(
            now=lambda: "2020-01-01T00:00:00+00:00", clock=lambda: self.seconds, wait=5
        )
        if (index := self.index) is not None:
            options = StoreOptions(
                options.now, options.clock, wait=5, index="tested", external=lambda: index
            )
        self.store = backend_for(self.address).open(self.address, options).store

    def ingest(
        self,
        texts: Mapping[str, str],
        rules: Mapping[str, AccessRule] | None = None,
        *,
        tenant: str = LOCAL,
        repository: str = "r",
        branch: str = "main",
    ) -> None:
        """A snapshot with these documents; those without a rule are everyone's."""
        everyone = AccessRule(tenant, frozenset({"everyone"}))
        embedder = HashedWords()
        place = (tenant, repository, branch)
        with self.store.open_writer(*place, embedder.identity) as writer:
            ingest(
                Texts(texts),
                writer,
                embedder,
                repository=repository,
                tenant=tenant,
                rule_for=lambda path: (rules or {}).get(path, everyone),
                miners=ALL_MINERS,
            )

    def set_rule(self, path: str, rule: AccessRule, repository: str = "r") -> None:
        with self.store.access_policy(LOCAL) as policy:
            policy.set_manual_rule(repository, [path], rule)

    def prune(self, keep: int = 1) -> PruneResult:
        return self.store.prune(LOCAL, "r", "main", keep)

    def nearest(
        self,
        principal: Principal,
        selectors: Sequence[SnapshotSelector] = ALL_REPOSITORIES,
    ) -> list[Hits]:
        """Everything that a search can bring to a reader, level by level."""
        with self.store.open_session(principal, selectors) as session:
            return [
                session.search.nearest(question_vector(text), over=level, roll_up=roll_up, top=top)
                for text in QUESTIONS
                for level in LEVELS
                for roll_up in (True, False)
                for top in TOPS
            ]
