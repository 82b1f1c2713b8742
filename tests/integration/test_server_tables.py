"""API keys and ingest jobs in Postgres: the rules of every store, and row locks."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing

import pytest

from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.pool import Pool
from docgraph.adapters.postgres.server_tables import PostgresApiKeyStore, PostgresIngestJobQueue
from docgraph.ports.auth import ApiKeyStore
from docgraph.ports.job_queue import IngestJobQueue
from tests.conformance.ingest_job_rules import LONG, IngestJobRules, make_job
from tests.conformance.key_rules import ANNS, HASH, OTHERS, KeyRules

CLAIM_ALL = """
import sys
from contextlib import closing
from docgraph.adapters.postgres.server_tables import PostgresIngestJobQueue
from docgraph.adapters.postgres.pool import Pool
with closing(Pool(sys.argv[1])) as pool:
    queue = PostgresIngestJobQueue(pool)
    while (found := queue.claim("a process", 600)) is not None:
        print(found.id)
"""
AS_TENANT = """
    SELECT set_config('role', 'docgraph_reader', true), set_config('docgraph.tenant', %s, true)
"""


@pytest.fixture
def pools(database: str) -> Iterator[Callable[[], Pool]]:
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(Pool(database, size=2)))


class TestKeys(KeyRules):
    @pytest.fixture
    def keys(self, pools: Callable[[], Pool]) -> ApiKeyStore:
        return PostgresApiKeyStore(pools())


class TestIngestions(IngestJobRules):
    @pytest.fixture
    def another(self, pools: Callable[[], Pool]) -> Callable[[], IngestJobQueue]:
        return lambda: PostgresIngestJobQueue(pools())

    @pytest.fixture
    def jobs(self, another: Callable[[], IngestJobQueue]) -> IngestJobQueue:
        return another()

    @pytest.fixture
    def claimer(self, database: str) -> Sequence[str]:
        return sys.executable, "-c", CLAIM_ALL, database


@pytest.mark.requirement(39)
def test_postgres_itself_shows_rows_of_one_tenant_alone(
    database: str, pools: Callable[[], Pool]
) -> None:
    """Whatever a query forgets to ask."""
    keys, queue = PostgresApiKeyStore(pools()), PostgresIngestJobQueue(pools())
    for key in (ANNS, OTHERS):
        keys.add(key, HASH)
    for number, tenant in enumerate("tu"):
        queue.add(make_job(number, tenant))
    everything = "SELECT id FROM api_keys UNION ALL SELECT id FROM ingest_jobs ORDER BY id"
    with closing(connect(database)) as connection:
        for tenant, shown in (("t", ["a1", "i0"]), ("u", ["c3", "i1"]), ("", []), ("v", [])):
            with connection.transaction():
                connection.execute(AS_TENANT, [tenant])
                found = connection.execute(everything).fetchall()
            assert [name for (name,) in found] == shown
        assert len(connection.execute(everything).fetchall()) == 4


def test_a_claim_skips_a_job_that_another_worker_is_claiming(
    database: str, pools: Callable[[], Pool]
) -> None:
    queue = PostgresIngestJobQueue(pools())
    for number in range(2):
        queue.add(make_job(number))
    with closing(connect(database)) as other, other.transaction():
        other.execute("SELECT FROM ingest_jobs WHERE id = 'i0' FOR UPDATE")
        found = queue.claim("one", LONG)
        assert found is not None
        assert found.id == "i1"
        assert queue.claim("one", LONG) is None
    again = queue.claim("one", LONG)
    assert again is not None
    assert again.id == "i0"
