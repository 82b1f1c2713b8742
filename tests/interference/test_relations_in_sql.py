"""In every world of the machine the view `document_relationships` has the engine's relations."""

from collections import Counter

import pytest
from hypothesis.stateful import invariant

from docgraph.adapters.postgres.store import PostgresStore
from docgraph.ingest.miners.registry import ALL_MINERS
from tests.interference.machine import NoInterference
from tests.interference.postgres_factories import on_postgres
from tests.interference.runs import prove
from tests.interference.store_factories import StoreFactory, on_sqlite
from tests.support.postgres_server import PostgresServer
from tests.support.sql_relations import compare_with_engine, reader_relations

EXAMPLES, THOROUGH = 40, 400
listed: Counter[str] = Counter()  # rows by origin, and how often a reader saw some but not all


class RelationsInSql(NoInterference):
    """The same steps; after each, the rows of the view are held against the engine's relations."""

    @invariant()
    def answers_hang_on_the_view_alone(self) -> None:
        happened, self.store.stirred = self.store.stirred, False
        if not happened:
            return
        self.library.rules = self.store.effective_rules()
        engine = self.store.engine
        everything = compare_with_engine(engine)
        listed.update(origin for row in everything for origin in row.relationship.origins)
        if isinstance(engine.content.store, PostgresStore):
            shown = reader_relations(engine, self.reader)
            assert shown == list(engine.content.relations(self.reader))
            listed["readers"] += 0 < len(shown) < len(everything)

    def teardown(self) -> None:
        self.store.close()


def prove_on(store_factory: StoreFactory, examples: int) -> None:
    listed.clear()
    prove(3, examples, steps=6, store_factory=store_factory, machine=RelationsInSql)
    origins = {*ALL_MINERS, "manual", "curated"} - {"tables"}
    assert origins <= listed.keys()


@pytest.mark.requirement(3)
def test_the_view_has_the_relations_of_the_engine(thorough: bool) -> None:
    prove_on(on_sqlite, THOROUGH if thorough else EXAMPLES)


@pytest.mark.requirement(3)
@pytest.mark.requirement(36)
def test_a_reader_on_postgres_gets_their_relations_from_the_view(
    postgres: PostgresServer, thorough: bool
) -> None:
    """Ambiguity is resolved over the rows that row-level security shows."""
    with on_postgres(postgres) as store_factory:
        prove_on(store_factory, THOROUGH if thorough else EXAMPLES)
    assert listed["readers"]
