"""A second lock that is off is noticed, refused and put on again; a backup comes back with it."""

import subprocess
from contextlib import closing
from typing import LiteralString

import pytest

from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.migrate import (
    ROW_SECURITY,
    migrate,
    pending_migrations,
    require_current,
)
from docgraph.model.errors import StoreError, WrongSchema
from tests.support.postgres_server import OWNER, PostgresServer, _programs, name_of

ROLE = "CREATE ROLE docgraph_reader NOLOGIN"

CHANGES: tuple[tuple[LiteralString, str], ...] = (
    (
        "ALTER TABLE postings DISABLE ROW LEVEL SECURITY",
        "row-level security of the table postings is off",
    ),
    (
        "CREATE POLICY every_row ON contents TO PUBLIC USING (true)",
        "the policy contents.every_row was put in",
    ),
    ("DROP POLICY by_class ON definitions", "the policy definitions.by_class is missing"),
    (
        "ALTER POLICY by_chunk ON vectors USING (true)",
        "the policy vectors.by_chunk was changed",
    ),
    (
        "ALTER POLICY by_class ON node_references TO PUBLIC",
        "the policy node_references.by_class was changed",
    ),
    (
        "REVOKE SELECT ON documents FROM docgraph_reader",
        "the grant documents to docgraph_reader is missing",
    ),
    (
        "GRANT UPDATE (access_class) ON documents TO docgraph_reader",
        "the grant documents.access_class to docgraph_reader was put in",
    ),
    ("GRANT SELECT ON principals TO PUBLIC", "the grant principals to PUBLIC was put in"),
    (
        "GRANT USAGE ON SEQUENCE node_handles TO docgraph_reader",
        "the grant node_handles to docgraph_reader was put in",
    ),
    (
        "GRANT INSERT ON audit_entries TO docgraph_reader",
        "the grant audit_entries to docgraph_reader was put in",
    ),
    ("GRANT USAGE ON SCHEMA docgraph TO PUBLIC", "the grant schema docgraph to PUBLIC was put in"),
    (
        "ALTER VIEW visible_texts SET (security_invoker = false)",
        "the view visible_texts was changed",
    ),
    (
        (
            "CREATE OR REPLACE FUNCTION readable_classes() RETURNS SETOF integer LANGUAGE sql "
            "STABLE AS 'SELECT id FROM docgraph.access_classes'"
        ),
        r"the function readable_classes\(\) was changed",
    ),
    (
        "GRANT SELECT ON change_counts TO docgraph_reader",
        "the grant change_counts to docgraph_reader was put in",
    ),
    (
        "GRANT SELECT (newest_snapshot) ON branches TO docgraph_reader",
        "the grant branches.newest_snapshot to docgraph_reader was put in",
    ),
)


@pytest.mark.parametrize(("statement", "message"), CHANGES)
def test_changed_row_security_is_refused_and_repaired(
    database: str, statement: LiteralString, message: str
) -> None:
    with closing(connect(database)) as connection:
        connection.execute(statement)
        words = f"row-level security is not as docgraph made it: {message}; run `docgraph migrate`"
        with pytest.raises(WrongSchema, match=words):
            require_current(connection, database)
        assert pending_migrations(database) == (ROW_SECURITY,)
        assert migrate(database) == (ROW_SECURITY,)
        require_current(connection, database)
    assert pending_migrations(database) == migrate(database) == ()


def test_a_table_of_another_owner_is_reported_with_the_command(
    postgres: PostgresServer, database: str
) -> None:
    with postgres.superuser(name_of(database)) as root:
        root.execute("ALTER TABLE docgraph.documents OWNER TO postgres")
        with (
            closing(connect(database)) as connection,
            pytest.raises(WrongSchema, match="documents belongs to postgres"),
        ):
            require_current(connection, database)
        mend = f'ALTER TABLE docgraph.documents OWNER TO "{OWNER}";'
        with pytest.raises(StoreError, match=f"may not apply row_security .*: {mend}"):
            migrate(database)
        assert migrate(postgres.dsn(name_of(database), "postgres")) == (ROW_SECURITY,)
    assert pending_migrations(database) == ()


def test_objects_of_others_beside_the_tables_are_ignored(
    postgres: PostgresServer, database: str
) -> None:
    with postgres.superuser(name_of(database)) as root:
        root.execute("CREATE TABLE docgraph.notes (text text)")
        root.execute("CREATE VIEW docgraph.seen AS SELECT 1")
        root.execute("GRANT SELECT ON docgraph.documents TO docgraph_locked")  # for backups, say
    assert pending_migrations(database) == migrate(database) == ()


def test_migrate_does_not_wait_for_a_table_in_use(database: str) -> None:
    with connect(database) as reader, reader.transaction():
        reader.execute("SELECT FROM documents")
        assert migrate(database) == ()


def run(program: str, *words: str, check: bool = True) -> bytes:
    command = [str(_programs(oldest=False) / program), *words]
    return subprocess.run(command, check=check, capture_output=True).stdout


@pytest.mark.parametrize("roles_first", [True, False])
def test_a_restored_backup_is_complete_and_has_row_security(
    own_postgres: PostgresServer, *, roles_first: bool
) -> None:
    """Without the role, policies and grants are lost; all the rest is there."""
    dsn = own_postgres.database("before")
    with own_postgres.superuser("before") as root:
        root.execute("CREATE EXTENSION vector")
    migrate(dsn)
    with connect(dsn) as connection:
        connection.execute("INSERT INTO change_counts (tenant, all_changes) VALUES ('acme', 7)")
    backup = own_postgres.folder / "backup"
    backup.write_bytes(run("pg_dump", "--format=custom", f"--dbname={dsn}"))
    own_postgres.drop(dsn)
    with own_postgres.superuser() as root:
        root.execute("DROP ROLE docgraph_reader")
        role = f"{ROLE}; GRANT docgraph_reader TO {OWNER} WITH INHERIT FALSE, SET TRUE".encode()
        if roles_first:
            root.execute(role)
        back = own_postgres.database("back")
        with own_postgres.superuser("back") as prepared:
            prepared.execute("CREATE EXTENSION vector")
        address = own_postgres.dsn("back", "postgres")
        run("pg_restore", f"--dbname={address}", str(backup), check=roles_first)
        if not roles_first:
            root.execute(role)
    with closing(connect(back)) as connection:
        if not roles_first:
            message = r"not as docgraph made it: .* and \d+ more; run `docgraph migrate`"
            with pytest.raises(WrongSchema, match=message):
                require_current(connection, back)
        assert migrate(back) == (() if roles_first else (ROW_SECURITY,))
        require_current(connection, back)
        assert connection.execute("SELECT tenant, all_changes FROM change_counts").fetchall() == [
            ("acme", 7)
        ]
    own_postgres.drop(back)
