"""API keys and ingest jobs beside a SQLite store: the rules of every store, and those of a file."""

import os
import stat
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.server_tables import (
    SqliteApiKeyStore,
    SqliteAuditLog,
    SqliteIngestJobQueue,
)
from docgraph.model.errors import StoreError
from docgraph.ports.auth import ApiKeyStore
from docgraph.ports.job_queue import IngestJobQueue
from tests.conformance.ingest_job_rules import LONG, IngestJobRules, make_job
from tests.conformance.key_rules import ANNS, HASH, KeyRules
from tests.support.audit_logs import EVENT

CLAIM_ALL = """
import sys, time
from pathlib import Path
from docgraph.adapters.sqlite.server_tables import SqliteIngestJobQueue
queue = SqliteIngestJobQueue(Path(sys.argv[1]), now=lambda: "now", clock=time.time)
while (found := queue.claim("a process", 600)) is not None:
    print(found.id)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db.server"


class TestKeys(KeyRules):
    @pytest.fixture
    def keys(self, path: Path) -> ApiKeyStore:
        return SqliteApiKeyStore(path)


class TestIngestions(IngestJobRules):
    @pytest.fixture
    def another(self, path: Path) -> Callable[[], IngestJobQueue]:
        return lambda: SqliteIngestJobQueue(path, now=lambda: "now", clock=time.time)

    @pytest.fixture
    def jobs(self, another: Callable[[], IngestJobQueue]) -> IngestJobQueue:
        return another()

    @pytest.fixture
    def claimer(self, path: Path) -> Sequence[str]:
        return sys.executable, "-c", CLAIM_ALL, str(path)


def test_reading_creates_no_file(path: Path) -> None:
    keys = SqliteApiKeyStore(path)
    queue = SqliteIngestJobQueue(path, now=lambda: "now", clock=time.time)
    assert keys.find("a1") is None
    assert not keys.remove("t", "a1")
    assert queue.claim("one", LONG) is None
    assert list(path.parent.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_only_the_owner_can_read_the_file(path: Path) -> None:
    before = os.umask(0)
    try:
        SqliteApiKeyStore(path).add(ANNS, HASH)
    finally:
        os.umask(before)
    for file in path.parent.glob("*.server*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert path.exists()


def test_keys_and_jobs_share_the_file_and_outlive_their_process(path: Path) -> None:
    SqliteApiKeyStore(path).add(ANNS, HASH)
    SqliteIngestJobQueue(path, now=lambda: "now", clock=time.time).add(make_job(1))
    assert SqliteApiKeyStore(path).find("a1") == (ANNS, HASH)
    again = SqliteIngestJobQueue(path, now=lambda: "now", clock=time.time)
    assert again.get("t", "i1") == make_job(1)


def test_another_kind_of_file_in_its_place_is_refused(path: Path) -> None:
    SqliteAuditLog(path, now=lambda: "now").write(EVENT)
    keys = SqliteApiKeyStore(path)
    with pytest.raises(StoreError, match="not a docgraph server file"):
        keys.add(ANNS, HASH)
    with pytest.raises(StoreError, match="not a docgraph server file"):
        keys.find("a1")


def test_a_lease_expires_by_the_clock(path: Path) -> None:
    seconds = [100.0]
    queue = SqliteIngestJobQueue(path, now=lambda: "now", clock=lambda: seconds[0])
    queue.add(make_job(1))
    assert queue.claim("one", 30) is not None
    seconds[0] = 129.9
    assert queue.claim("two", 30) is None
    assert queue.renew("i1", "one", 30, "")
    seconds[0] = 159.9
    assert queue.claim("two", 30) is not None
    assert not queue.renew("i1", "one", 30, "")
