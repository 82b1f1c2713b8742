"""The audit log in each of its places: what is tested of one is tested of all."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import AuditStorage, SqliteAuditStorage


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AuditStorage]:
    if request.param == "sqlite":
        yield SqliteAuditStorage(tmp_path / "store.db.audit")
        return
    from tests.support.postgres_audit import PostgresAuditStorage

    server, dsn = map(request.getfixturevalue, ("postgres", "database"))
    with closing(PostgresAuditStorage(server, dsn)) as found:
        yield found


@pytest.fixture
def log(place: AuditStorage) -> AuditLog:
    return place.log()
