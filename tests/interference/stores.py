"""Stores for the state machine, filled by the engine's own ingest."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache

import pytest
import yaml

from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, RIGHTS, AccessRule, Person, Principal
from docgraph.model.edge import MANUAL, Edge, Relationship
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.ports.models import Embedder
from docgraph.testing.small_store import DIMENSIONS, HashedWords, hash_vector
from tests.interference.store_factories import StoreFactory, on_sqlite
from tests.interference.views import (
    BranchContent,
    BranchName,
    Rules,
    View,
    VisibleContent,
    rule_at,
)
from tests.interference.worlds import NEVER_SEEN
from tests.support.engines import make_engine
from tests.support.fakes import LengthReranker, RecitingModel
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_keys import MemoryKeys
from tests.support.memory_source import MemorySource
from tests.support.small_world import IDENTITY

_hashed = lru_cache(maxsize=20_000)(hash_vector)


class CachedEmbedder(HashedWords):
    """The same vectors, each computed once."""

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [_hashed(text) for text in texts]


class FailingEmbedder(CachedEmbedder):
    """Gives up after a while, as a model server does."""

    def __init__(self, patience: int) -> None:
        self._patience = patience

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        if self._patience <= 0:
            raise SimulatedFailure
        self._patience -= 1
        return super().embed(texts)


class OtherEmbedder(CachedEmbedder):
    """Another model: what it embeds cannot be compared with the rest."""

    identity = EmbedderIdentity("foreign-words", "1" * 64, DIMENSIONS)


class SimulatedFailure(Exception):
    """An ingest ends here, without a word to the store."""


class MachineStore:
    """One store with its engine, and the tools to fill it. `stirred` tells that it was touched."""

    def __init__(self, store_factory: StoreFactory = on_sqlite) -> None:
        self._store, self._leave = store_factory()
        self._keeper = Administration(self._store, MemoryAudit(), MemoryKeys())
        self.engine = self._engine(CachedEmbedder())
        self.stirred = False

    def _engine(self, embedder: Embedder) -> Engine:
        return make_engine(
            self._store,
            embedder=lambda: embedder,
            rerank_model=LengthReranker,
            chat_models=lambda: (RecitingModel(),),
        )

    def close(self) -> None:
        self._leave()

    def ingest(
        self,
        branch: BranchName,
        content: BranchContent,
        rules: Mapping[str, AccessRule],
        embedder: Embedder | None = None,
        *,
        in_stages: bool = False,
    ) -> int | None:
        """The number of the new snapshot, if there is one. What nobody sees has another model."""
        self.stirred = True
        texts = dict(content.texts)
        if content.curated:
            texts["relations.yaml"] = _written(content.curated)
        if branch.repository == NEVER_SEEN:
            embedder = OtherEmbedder()
        engine = self.engine if embedder is None else self._engine(embedder)
        done = engine.content.ingest(
            admin(branch.tenant),
            MemorySource(texts),
            repository=branch.repository,
            branch=branch.branch,
            rule_for=rules.__getitem__,
            without=sorted(content.without),
            embed="none" if in_stages else "all",
        )
        if in_stages:
            engine.content.embed(admin(branch.tenant), branch.repository, branch.branch)
        return done.snapshot.snapshot if done.snapshot else None

    def relate(self, branch: BranchName, edges: Sequence[Edge]) -> int:
        """Manual, also to and from hidden nodes: it is stored, and readers must not notice."""
        self.stirred = True
        with self._store.open_writer(*branch, IDENTITY) as writes:
            writes.edges.add_manual([Relationship(edge, (MANUAL,), ()) for edge in edges])
            return writes.publish().snapshot

    def unrelate(self, branch: BranchName, edges: Sequence[Edge]) -> int:
        self.stirred = True
        with self._store.open_writer(*branch, IDENTITY) as writes:
            writes.edges.remove_manual(edges)
            return writes.publish().snapshot

    def set_access(self, branch: BranchName, path: str, rule: AccessRule | None) -> None:
        """A manual rule; None removes it."""
        self.stirred = True
        who, where = admin(branch.tenant), branch.repository
        if rule is None:
            self._keeper.reset_access(who, where, (path,))
        else:
            self._keeper.set_access(who, where, (path,), rule)

    def prune(self, branch: BranchName, keep: int) -> None:
        self.stirred = True
        self._keeper.prune(admin(branch.tenant), branch.repository, branch.branch, keep)

    def effective_rules(self) -> Rules:
        """As the store tells them: who may read a document, not what they get."""
        results = self._keeper.documents(admin(LOCAL))
        return {(BranchName(LOCAL, one.repository, one.branch), one.path): one for one in results}


@contextmanager
def rebuild(
    view: View,
    rules: Rules,
    main_branch: BranchName,
    store_factory: StoreFactory,
    number: int | None = None,
) -> Iterator[Engine]:
    """A store that has only ever held what one reader may see. The branch that was first there
    is first here too: its rules count on others. `number` is that of an old snapshot."""
    store = MachineStore(store_factory)
    try:
        for branch, (seen,) in sorted(view, key=lambda part: part[0] != main_branch):
            texts = {path: text for path, text, _ in seen.texts}
            now = {path: rule_at(rules[branch, path], number) for path in texts}
            for together in _in_ingestions(seen):
                off = frozenset(seen.without)
                store.ingest(branch, BranchContent(together, frozenset(), seen.curated, off), now)
            if seen.manual_edges:
                store.relate(branch, seen.manual_edges)
        yield store.engine
    finally:
        store.close()


def _in_ingestions(seen: VisibleContent) -> Iterator[dict[str, str]]:
    """What one ingest after the other has to bring; everything at once where it does not matter."""
    brought = seen.ingestions or (0,) * len(seen.texts)
    for last in sorted(set(brought)):
        pairs = zip(seen.texts, brought, strict=True)
        yield {path: text for (path, text, _), number in pairs if number <= last}


@cache
def admin(tenant: str) -> Principal:
    return impersonated(Person("keeper", tenant, rights=frozenset(RIGHTS)), local())


def _written(edges: Sequence[Edge]) -> str:
    entries = [{"from": e.source, "relation": e.relation, "to": e.target} for e in edges]
    return yaml.safe_dump(entries)


@contextmanager
def small_limits() -> Iterator[None]:
    """So low that a few documents more make a name common, a title anybody's, a segment full."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docgraph.model.link.MAX_NAME_HOLDERS", 2)
        patch.setattr("docgraph.plan.ambiguity.MAX_TITLE_HOLDERS", 1)
        patch.setattr("docgraph.search.candidates.MAX_DEFINERS", 1)
        patch.setattr("docgraph.adapters.sql.graph._BATCH", 2)
        patch.setattr("docgraph.adapters.indexes.segment_writer.MOST_SMALL", 2)
        patch.setattr("docgraph.adapters.indexes.segment_cache.MOST_BLOCKS", 2)
        yield
