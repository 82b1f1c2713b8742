"""What the reader's role may do: look at rows that a policy lets through, and nothing else."""

from collections.abc import Iterator
from contextlib import closing
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import InsufficientPrivilege

from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.sql.database import named_queries
from tests.support.postgres_server import PostgresServer
from tests.support.second_lock import DERIVED

# What servers share, shown by tenant.
SHARED = {"api_keys", "ingest_jobs"}
SCOPE = {"branches"}  # those that are asked for
CLOSED = (
    "change_counts",
    "snapshots",
    "access_classes",
    "complete_indexes",
    "index_outbox",
    "manual_access_rules",
    "access_file_rules",
    "audit_entries",
    "audit_seals",
    "document_access",
    "principals",
)

# Each finds what must not be.
FORBIDDEN: dict[str, LiteralString] = {
    "is more than a role that reads": """
        SELECT rolname FROM pg_roles
        WHERE rolname = 'docgraph_reader'
          AND (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb
               OR rolreplication)""",
    "is a member of": """
        SELECT roleid::regrole::text FROM pg_auth_members
        WHERE member = 'docgraph_reader'::regrole""",
    "owns": """
        SELECT classid::regclass || ' ' || objid FROM pg_shdepend
        WHERE refclassid = 'pg_authid'::regclass AND refobjid = 'docgraph_reader'::regrole
          AND deptype = 'o'""",
    "may change": """
        SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND s.nspname !~ '^pg_|^information_schema$'
          AND (has_table_privilege('docgraph_reader', c.oid,
                                   'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
               OR has_any_column_privilege('docgraph_reader', c.oid,
                                           'INSERT, UPDATE, REFERENCES'))""",
    "may take numbers of": """
        SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
        WHERE CASE WHEN c.relkind = 'S' AND s.nspname !~ '^pg_'
                   THEN has_sequence_privilege('docgraph_reader', c.oid, 'USAGE, SELECT, UPDATE')
              END""",
    "may make things in": """
        SELECT nspname FROM pg_namespace
        WHERE nspname !~ '^pg_' AND has_schema_privilege('docgraph_reader', oid, 'CREATE')""",
    "runs as somebody else": """
        SELECT p.proname FROM pg_proc AS p
        WHERE p.pronamespace = 'docgraph'::regnamespace AND p.prosecdef""",
    "looks through a view that sees with other eyes": """
        SELECT c.relname FROM pg_class AS c
        WHERE c.relnamespace = 'docgraph'::regnamespace AND c.relkind IN ('v', 'm')
          AND has_table_privilege('docgraph_reader', c.oid, 'SELECT')
          AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), false)""",
    "reads a table without a lock": """
        SELECT c.relname FROM pg_class AS c
        WHERE c.relnamespace = 'docgraph'::regnamespace AND c.relkind IN ('r', 'p', 'f', 'm')
          AND has_any_column_privilege('docgraph_reader', c.oid, 'SELECT')
          AND NOT (c.relrowsecurity
                   AND EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid))""",
    "is let through by a policy that asks for nothing": """
        SELECT tablename || ' ' || policyname FROM pg_policies
        WHERE schemaname = 'docgraph'
          AND (roles <> '{docgraph_reader}' OR cmd <> 'SELECT' OR permissive <> 'PERMISSIVE'
               OR qual !~
                'readable_classes|documents|document_nodes|chunk_vectors|segments|tenant|requested')""",
    "reads elsewhere": """
        SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'f', 'm')
          AND s.nspname !~ '^pg_|^information_schema$|^docgraph$'
          AND has_any_column_privilege('docgraph_reader', c.oid, 'SELECT')""",
}
# What somebody might add one day, and as what it is found.
PLANTS: tuple[tuple[LiteralString, str], ...] = (
    ("ALTER ROLE docgraph_reader BYPASSRLS", "is more than a role that reads"),
    ("ALTER ROLE docgraph_reader LOGIN", "is more than a role that reads"),
    ("GRANT pg_read_all_data TO docgraph_reader", "is a member of"),
    ("CREATE TABLE notes (text text); ALTER TABLE notes OWNER TO docgraph_reader", "owns"),
    ("GRANT INSERT ON documents TO docgraph_reader", "may change"),
    ("GRANT UPDATE (access_class) ON documents TO docgraph_reader", "may change"),
    ("GRANT TRUNCATE ON contents TO PUBLIC", "may change"),
    ("GRANT USAGE ON SEQUENCE node_handles TO docgraph_reader", "may take numbers of"),
    ("GRANT CREATE ON SCHEMA docgraph TO docgraph_reader", "may make things in"),
    (
        "CREATE FUNCTION peek() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        "runs as somebody else",
    ),
    (
        "CREATE VIEW peek AS SELECT * FROM documents; GRANT SELECT ON peek TO docgraph_reader",
        "looks through a view that sees with other eyes",
    ),
    (
        "CREATE TABLE notes (text text); GRANT SELECT ON notes TO docgraph_reader",
        "reads a table without a lock",
    ),
    (
        "CREATE TABLE notes (text text); GRANT SELECT (text) ON notes TO PUBLIC",
        "reads a table without a lock",
    ),
    ("ALTER TABLE postings DISABLE ROW LEVEL SECURITY", "reads a table without a lock"),
    (
        "CREATE POLICY every_row ON contents TO docgraph_reader USING (true)",
        "is let through by a policy that asks for nothing",
    ),
    (
        "CREATE TABLE public.notes (text text); GRANT SELECT ON public.notes TO docgraph_reader",
        "reads elsewhere",
    ),
)


@pytest.fixture
def everywhere(database: str, postgres: PostgresServer) -> Iterator[psycopg.Connection]:
    """As a database administrator, in the store's schema."""
    name = str(psycopg.conninfo.conninfo_to_dict(database)["dbname"])
    with closing(postgres.superuser(name)) as connection:
        connection.execute("SET search_path = docgraph, public")
        yield connection


def found(connection: psycopg.Connection) -> dict[str, set[str]]:
    """What the role may do and should not."""
    result = {
        what: {str(name) for (name,) in connection.execute(query)}
        for what, query in FORBIDDEN.items()
    }
    return {what: names for what, names in result.items() if names}


@pytest.mark.requirement(36)
def test_the_reader_role_reads_under_row_security_and_does_nothing_else(
    everywhere: psycopg.Connection,
) -> None:
    assert found(everywhere) == {}


@pytest.mark.requirement(36)
def test_every_table_has_row_security_or_no_grant(
    everywhere: psycopg.Connection,
) -> None:
    any_right = "SELECT, INSERT, UPDATE, REFERENCES"
    tables = """
        SELECT relname, relrowsecurity, has_any_column_privilege('docgraph_reader', oid, %s)
        FROM pg_class WHERE relnamespace = 'docgraph'::regnamespace AND relkind IN ('r', 'p')
    """
    result = {
        name: (lock, opened) for name, lock, opened in everywhere.execute(tables, [any_right])
    }
    assert {name for name, (lock, _) in result.items() if lock} == DERIVED.keys() | SHARED | SCOPE
    assert [name for name, (lock, opened) in result.items() if opened and not lock] == []
    assert not any(result[name][1] for name in CLOSED)


@pytest.mark.parametrize(("statement", "result"), PLANTS)
def test_additional_rights_of_the_reader_are_detected(
    everywhere: psycopg.Connection, statement: LiteralString, result: str
) -> None:
    with everywhere.transaction(force_rollback=True):
        everywhere.execute(statement)
        assert result in found(everywhere)


def test_the_reader_is_refused_every_other_statement(database: str) -> None:
    """Also outside a transaction that only reads."""
    with closing(connect(database)) as connection:
        connection.execute("SET ROLE docgraph_reader")
        for table in (*DERIVED, *SCOPE, *CLOSED):
            name = sql.Identifier(table)
            for statement in ("DELETE FROM {}", "TRUNCATE {}", "INSERT INTO {} DEFAULT VALUES"):
                with pytest.raises(InsufficientPrivilege):
                    connection.execute(sql.SQL(statement).format(name))
        for table in CLOSED:
            with pytest.raises(InsufficientPrivilege):
                connection.execute(sql.SQL("SELECT FROM {}").format(sql.Identifier(table)))
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT secret_hash FROM api_keys")
        with pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT newest_snapshot FROM branches")


def test_the_login_has_none_of_the_reader_s_rights_until_it_becomes_the_reader(
    everywhere: psycopg.Connection, database: str
) -> None:
    """A member that inherits could read in every database of the server that includes it."""
    asked = "SELECT pg_has_role(%s, 'docgraph_reader', %s)"
    with closing(connect(database)) as connection:
        login = connection.info.user
        assert everywhere.execute(asked, [login, "USAGE"]).fetchone() == (False,)
        assert everywhere.execute(asked, [login, "SET"]).fetchone() == (True,)
        connection.execute("SET ROLE docgraph_reader")
        assert connection.execute("SELECT count(*) FROM visible_documents").fetchone() == (0,)


def test_the_owner_does_not_run_another_roles_operator(
    everywhere: psycopg.Connection, database: str
) -> None:
    """Also where one lies that fits better than Postgres' own."""
    everywhere.execute(
        "CREATE FUNCTION public.grab(bigint[], bigint[]) RETURNS boolean LANGUAGE plpgsql "
        "AS $$ BEGIN RAISE EXCEPTION 'grabbed'; END $$; CREATE OPERATOR public.&& "
        "(LEFTARG = bigint[], RIGHTARG = bigint[], FUNCTION = public.grab)"
    )
    everywhere.execute(
        "INSERT INTO branches (tenant, repository, name, checksum) VALUES ('t', 'r', 'b', 0); "
        "INSERT INTO access_classes (rule, checksum) VALUES ('{}', 0); "
        "INSERT INTO segments (branch, access_class, snapshot, chunk_count, versions, checksum, "
        "arrays) VALUES (1, 1, 1, 0, '{1,2}', 0, '')"
    )
    query = named_queries("docgraph.adapters.postgres", "reclassify.sql")["segments_of_versions"]
    with closing(connect(database)) as connection:
        assert connection.execute(query, {"branch": 1, "versions": [1]}).rowcount == 1
        plain = "SELECT FROM segments WHERE versions && %(versions)s::bigint[]"
        with pytest.raises(psycopg.errors.RaiseException, match="grabbed"):
            connection.execute(plain, {"versions": [1]})
