"""The audit log in each of its places: what is tested of one is tested of all."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import AuditPlace, SqlitePlace


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AuditPlace]:
    if request.param == "sqlite":
        yield SqlitePlace(tmp_path / "store.db.audit")
        return
    from tests.support.audit_on_postgres import PostgresPlace

    server, dsn = map(request.getfixturevalue, ("postgres", "database"))
    with closing(PostgresPlace(server, dsn)) as found:
        yield found


@pytest.fixture
def log(place: AuditPlace) -> AuditLog:
    return place.log()
