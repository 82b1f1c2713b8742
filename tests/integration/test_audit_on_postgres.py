"""The audit log on Postgres: what it waits for, who can read it, and its settings."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from docgraph.adapters.postgres.audit import PostgresAuditLog
from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.migrate import migrate
from docgraph.model.audit import ROWS_PER_SEAL, AuditVerdict
from tests.support.audit_logs import EVENT, fill, make_anchor
from tests.support.postgres_audit import PostgresAuditStorage
from tests.support.postgres_server import OWNER, SUPERUSER, PostgresServer, name_of

AN_INGEST = """
    SELECT pg_advisory_lock(hashtextextended('docgraph branch 1', 0)),
           pg_advisory_lock_shared(hashtextextended('docgraph tenant t', 0));
    INSERT INTO change_counts VALUES ('t', 1);
    INSERT INTO contents (tenant, hash, text) VALUES ('t', 'h', 'x');
    LOCK TABLE documents, document_nodes, segments IN ACCESS EXCLUSIVE MODE;
"""
WATCH = """
    CREATE TABLE seen (of text, setting text);
    CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO seen VALUES (TG_TABLE_NAME, current_setting('synchronous_commit'));
        RETURN NULL;
    END $$;
    CREATE TRIGGER watch AFTER INSERT ON audit_entries EXECUTE FUNCTION watch();
    CREATE TRIGGER watch AFTER INSERT ON audit_seals EXECUTE FUNCTION watch();
"""
FIRST_AGAIN = "INSERT INTO audit_entries SELECT * FROM audit_entries WHERE number = 1 ON CONFLICT"
WAYS_AROUND = (
    "TRUNCATE audit_entries",
    "TRUNCATE audit_seals CASCADE",
    f"{FIRST_AGAIN} (tenant, number) DO UPDATE SET principal = 'eve'",
    f"{FIRST_AGAIN} DO NOTHING",
    "MERGE INTO audit_seals USING audit_entries ON number = last WHEN MATCHED THEN DELETE",
    "WITH gone AS (DELETE FROM audit_seals RETURNING 1) SELECT * FROM gone",
    "UPDATE audit_entries SET detail = '' WHERE false",
)


@pytest.fixture
def place(postgres: PostgresServer, database: str) -> Iterator[PostgresAuditStorage]:
    with closing(PostgresAuditStorage(postgres, database)) as found:
        yield found


@pytest.fixture
def log(place: PostgresAuditStorage) -> PostgresAuditLog:
    return place.log(wait=0.5)


@pytest.mark.requirement(40)
def test_writing_and_reading_wait_for_no_ingest(log: PostgresAuditLog, database: str) -> None:
    with closing(connect(database)) as ingest, ingest.transaction():
        ingest.execute(AN_INGEST.encode())
        fill(log, ROWS_PER_SEAL + 1)  # one that waited would be refused
        assert log.verify("t", make_anchor(log)).is_sound
        assert len(log.entries("t")) == ROWS_PER_SEAL + 1
    assert log.verify("t") == AuditVerdict(ROWS_PER_SEAL + 1, ROWS_PER_SEAL + 1, ())


def test_one_tenant_s_writer_waits_for_no_other_s(
    place: PostgresAuditStorage, log: PostgresAuditLog
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def late() -> str:
        begun.set()
        assert go_on.wait(30)
        return "late"

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(place.log(now=late).write, EVENT)
        assert begun.wait(30)
        fill(log, 3, tenant="u")
        go_on.set()
        slow.result()
    assert log.verify("u") == AuditVerdict(3, 0, ())
    assert log.verify("t") == AuditVerdict(1, 0, ())


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM audit_entries",
        "SELECT 1 FROM audit_seals",
        "INSERT INTO audit_entries SELECT 't', 2, '', '', '', '', 'denied', '', '', '', 0",
        "TRUNCATE audit_entries",
        "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
    ],
)
def test_the_reader_role_cannot_read_the_log(
    log: PostgresAuditLog, database: str, statement: str
) -> None:
    log.write(EVENT)
    with closing(connect(database)) as reader:
        reader.execute("SET ROLE docgraph_reader")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute(statement.encode())
    assert log.verify("t") == AuditVerdict(1, 0, ())


def test_default_privileges_do_not_open_the_log(blank_database: str) -> None:
    """An administrator may let new tables be read by default."""
    with closing(connect(blank_database)) as owner:
        owner.execute("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, docgraph_reader")
        migrate(blank_database)
        for table in ("docgraph.audit_entries", "docgraph.audit_seals"):
            asked = "SELECT has_table_privilege('docgraph_reader', %s, 'SELECT, INSERT, TRUNCATE')"
            assert owner.execute(asked, [table]).fetchone() == (False,)


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    ("user", "setting"),
    [
        (OWNER, "SELECT 1"),
        (SUPERUSER, "SELECT 1"),
        (SUPERUSER, "SET session_replication_role = 'replica'"),
    ],
)
def test_no_other_role_has_access_to_the_log(
    postgres: PostgresServer, log: PostgresAuditLog, database: str, user: str, setting: str
) -> None:
    fill(log, 3)
    anchor = make_anchor(log)
    with closing(connect(postgres.dsn(name_of(database), user))) as hand:
        hand.execute(setting.encode())
        for statement in WAYS_AROUND:
            with pytest.raises(psycopg.IntegrityError, match="audit log"):
                hand.execute(statement.encode())
    assert log.verify("t", anchor) == AuditVerdict(3, 3, ())


@pytest.mark.parametrize(
    "setting",
    [
        "default_transaction_isolation = 'serializable'",
        "default_transaction_isolation = 'repeatable read'",
        "default_transaction_read_only = on",
        "synchronous_commit = off",
    ],
)
def test_whatever_the_server_prefers_writers_are_serialised(
    postgres: PostgresServer, place: PostgresAuditStorage, database: str, setting: str
) -> None:
    with postgres.superuser() as server:
        server.execute(f'ALTER DATABASE "{name_of(database)}" SET {setting}'.encode())
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(fill, place.log(), 30) for _ in range(4)]:
            done.result()
    assert place.log().verify("t") == AuditVerdict(120, 100, ())


def test_a_row_is_on_the_disk_when_it_is_written(log: PostgresAuditLog, database: str) -> None:
    """Also where the server's default is to be faster than that: see the settings above."""
    with closing(connect(database)) as owner:
        owner.execute(WATCH.encode())
        fill(log, ROWS_PER_SEAL)
        make_anchor(log)
        log.write(EVENT)
        make_anchor(log)
        seen = "SELECT of, setting, count(*) FROM seen GROUP BY of, setting ORDER BY of"
        assert owner.execute(seen).fetchall() == [
            ("audit_entries", "on", ROWS_PER_SEAL + 1),
            ("audit_seals", "on", 2),
        ]
