"""docgraph migrate and docgraph doctor on a Postgres store."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.migrate import migrate, migrations
from docgraph.model.errors import BadInput, StoreError, WrongSchema
from docgraph.wiring import doctor
from docgraph.wiring.settings import Settings
from tests.acceptance.conftest import Run, data
from tests.support.fakes import WordCounter
from tests.support.postgres_server import LOCKED, OWNER, PASSWORD, PostgresServer, name_of
from tests.support.warm_command import warm_program

NAMES = [one.name for one in migrations()]


def test_migrate_creates_the_tables_once(docgraph: Run, blank_database: str) -> None:
    first = docgraph("migrate", "--store", blank_database)
    assert first.exit_code == 0, first.output
    *applied, last = first.stdout.splitlines()
    assert applied == [f"applied {name}" for name in NAMES]
    assert last.startswith(f"postgresql://{OWNER}@/")
    assert last.endswith(" is up to date")
    again = data(docgraph("migrate", "--json", "--store", blank_database))
    assert (again["applied"], again["pending"]) == ([], [])


def test_check_lists_pending_migrations_and_changes_nothing(
    docgraph: Run, blank_database: str
) -> None:
    for _ in range(2):
        found = docgraph("migrate", "--check", "--store", blank_database)
        assert found.exit_code == 1
        *pending, last = found.stdout.splitlines()
        assert pending == [f"pending {name}" for name in NAMES]
        assert last.endswith(" is behind; run `docgraph migrate`")
    in_json = docgraph("migrate", "--check", "--json", "--store", blank_database)
    assert in_json.exit_code == 1
    assert json.loads(in_json.stdout)["pending"] == NAMES


def test_check_succeeds_on_a_store_that_is_up_to_date(docgraph: Run, database: str) -> None:
    found = docgraph("migrate", "--check", "--store", database)
    assert found.exit_code == 0
    assert found.stdout.endswith(" is up to date\n")


def test_the_error_for_a_database_without_tables_names_the_command_to_run(
    docgraph: Run, blank_database: str
) -> None:
    result = docgraph("status", "--store", blank_database)
    assert isinstance(result.exception, WrongSchema)
    assert "has no docgraph tables yet; run `docgraph migrate`" in str(result.exception)


def test_a_sqlite_store_needs_no_migration(docgraph: Run, rocket: Path, elsewhere: Path) -> None:
    for words in (("migrate",), ("migrate", "--check")):
        found = docgraph(*words, "--store", str(rocket))
        assert (found.exit_code, found.stdout) == (0, f"{rocket} is up to date\n")
    docgraph("migrate", "--store", "new.db")
    assert not (elsewhere / "new.db").exists(), "only an ingest makes a store"


def test_a_sqlite_store_of_another_schema_is_refused(docgraph: Run, elsewhere: Path) -> None:
    with closing(sqlite3.connect("old.db")) as connection:
        connection.execute("PRAGMA application_id = 0x646F6367")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("CREATE TABLE meta (key, value)")
    for words in (("migrate",), ("migrate", "--check")):
        assert isinstance(docgraph(*words, "--store", "old.db").exception, WrongSchema)


def test_another_kind_of_address_is_refused_and_its_password_is_not_shown(docgraph: Run) -> None:
    for command in ("migrate", "doctor", "status"):
        found = docgraph(command, "--store", "mysql://ann:sesame@host/db").exception
        assert isinstance(found, BadInput)
        assert str(found).startswith("mysql://…: a store is the path of a SQLite file, or")


def test_without_psycopg_the_error_names_the_extra(
    docgraph: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    found = docgraph("migrate", "--store", "postgresql://host/db").exception
    assert isinstance(found, StoreError)
    assert "pip install 'docgraph[postgres]'" in str(found)


@pytest.mark.parametrize("command", ["migrate", "doctor", "status", "verify"])
@pytest.mark.parametrize("source", ["argument", "environment"])
def test_a_password_is_never_printed(command: str, source: str, tmp_path: Path) -> None:
    store = "postgresql://ann:sesame@127.0.0.1:1/notes"
    words = ["--store", store] if source == "argument" else []
    environment = {"DOCGRAPH_STORE": store} if source == "environment" else {}
    done = subprocess.run(
        [warm_program(), command, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "postgresql://ann@127.0.0.1:1/notes: " in done.stdout + done.stderr
    assert "sesame" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_settings_do_not_show_a_password() -> None:
    assert "sesame" not in repr(Settings(store="postgresql://ann:sesame@host/notes"))


# docgraph doctor


@pytest.fixture
def quick_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are tested in other tests."""
    monkeypatch.setattr(doctor, "open_tokens", WordCounter)
    monkeypatch.setattr(doctor, "_embedder", lambda _: "not tried")


def findings(docgraph: Run, store: str) -> dict[str, tuple[bool, str]]:
    result = docgraph("doctor", "--json", "--store", store)
    found = {
        one["part"]: (one["good"], one["detail"]) for one in json.loads(result.stdout)["findings"]
    }
    assert result.exit_code == (0 if all(good for good, _ in found.values()) else 1)
    return found


@pytest.mark.usefixtures("quick_models")
class TestDoctor:
    def test_a_complete_server_has_no_problem(self, docgraph: Run, database: str) -> None:
        found = findings(docgraph, database)
        assert all(good for good, _ in found.values()), found
        assert "16 or newer needed" in found["postgres"][1]
        assert found["login"] == (True, f"{OWNER}, no superuser; none is needed")
        assert "in schema public, 0.8 or newer needed" in found["vector"][1]
        assert found["reader"][1] == "docgraph_reader, whom row-level security binds"
        assert found["migrations"][1] == f"schema {len(NAMES)}, nothing pending"
        assert found["owner"][1] == f"the tables belong to {OWNER}"
        assert found["row security"][1] == "as docgraph made it"
        assert "0 repositories visible to local" in found["store"][1]

    def test_pending_migrations_are_reported(self, docgraph: Run, blank_database: str) -> None:
        found = findings(docgraph, blank_database)
        names = ", ".join(NAMES)
        assert found["migrations"] == (False, f"pending: {names}; run `docgraph migrate`")
        assert "store" not in found

    def test_a_missing_extension_is_reported(self, docgraph: Run, postgres: PostgresServer) -> None:
        dsn = postgres.database("bare")
        good, detail = findings(docgraph, dsn)["vector"]
        assert not good
        assert "run, in this database: CREATE EXTENSION vector;" in detail
        postgres.drop(dsn)

    def test_an_extension_that_readers_cannot_use_is_reported(
        self, docgraph: Run, postgres: PostgresServer
    ) -> None:
        dsn = postgres.database("hidden")
        with postgres.superuser("hidden") as root:
            root.execute("CREATE SCHEMA apart; CREATE EXTENSION vector SCHEMA apart")
            root.execute(f"GRANT USAGE ON SCHEMA apart TO {OWNER}".encode())
        good, detail = findings(docgraph, dsn)["vector"]
        assert not good
        assert 'GRANT USAGE ON SCHEMA "apart" TO docgraph_reader;' in detail
        postgres.drop(dsn)

    def test_disabled_row_level_security_is_reported(self, docgraph: Run, database: str) -> None:
        with connect(database) as owner:
            owner.execute("ALTER TABLE contents DISABLE ROW LEVEL SECURITY")
        message = (
            "row-level security is not as docgraph made it: "
            "row-level security of the table contents is off; run `docgraph migrate`"
        )
        assert findings(docgraph, database)["row security"] == (False, message)
        result = docgraph("status", "--store", database).exception
        assert isinstance(result, WrongSchema)
        assert message in str(result)
        checked = docgraph("migrate", "--check", "--store", database)
        assert (checked.exit_code, checked.stdout.splitlines()[0]) == (1, "pending row_security")
        repaired = docgraph("migrate", "--store", database)
        assert (repaired.exit_code, repaired.stdout.splitlines()[0]) == (0, "applied row_security")
        assert findings(docgraph, database)["row security"][0]

    def test_a_schema_in_which_others_may_create_objects_is_reported(
        self, docgraph: Run, postgres: PostgresServer, database: str
    ) -> None:
        with postgres.superuser(name_of(database)) as root:
            root.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        message = (
            "PUBLIC may make things in schema public: what they make this login may run; "
            "let a database administrator run, in this database: "
            'REVOKE CREATE ON SCHEMA "public" FROM PUBLIC;'
        )
        assert findings(docgraph, database)["schemas"] == (False, message)

    def test_a_login_that_is_not_the_owner_is_reported(
        self, docgraph: Run, postgres: PostgresServer, database: str
    ) -> None:
        address = postgres.dsn(name_of(database), LOCKED)
        found = findings(docgraph, f"{address}&password={quote(PASSWORD)}")
        message = (
            f"the tables belong to {OWNER}, this login is {LOCKED}, who has to own them; "
            "let a database administrator run, in this database: "
            f'ALTER SCHEMA docgraph OWNER TO "{LOCKED}";'
        )
        assert found["owner"] == (False, message)
        assert not {"migrations", "store"} & set(found)

    def test_a_superuser_is_reported_as_unnecessary(
        self, docgraph: Run, postgres: PostgresServer, database: str
    ) -> None:
        found = findings(docgraph, database.replace(OWNER, "postgres"))
        assert found["login"] == (True, "postgres is a superuser, which docgraph does not need")

    def test_a_server_that_cannot_be_reached_is_reported(self, docgraph: Run) -> None:
        found = findings(docgraph, "postgresql://ann:sesame@127.0.0.1:1/notes")
        good, detail = found["postgres"]
        assert not good
        assert "whether the server runs" in detail
        assert not {"vector", "reader", "migrations", "store"} & set(found)

    def test_a_missing_psycopg_is_reported(
        self, docgraph: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        good, detail = findings(docgraph, "postgresql://host/db")["psycopg"]
        assert not good
        assert "pip install 'docgraph[postgres]'" in detail


@pytest.fixture
def stranger(own_postgres: PostgresServer) -> Iterator[str]:
    """A login with a database and no grant."""
    with own_postgres.superuser() as root:
        root.execute("CREATE ROLE stranger LOGIN")
    yield own_postgres.dsn("postgres", "stranger")
    with own_postgres.superuser() as root:
        root.execute("DROP ROLE stranger")


@pytest.mark.usefixtures("quick_models")
def test_doctor_reports_problems_of_the_reader_role(
    docgraph: Run, own_postgres: PostgresServer, stranger: str
) -> None:
    def after(*commands: str) -> str:
        with own_postgres.superuser() as root:
            for command in commands:
                root.execute(command.encode())
        good, detail = findings(docgraph, stranger)["reader"]
        return "ok" if good else detail

    grant = 'GRANT docgraph_reader TO "stranger" WITH INHERIT FALSE, SET TRUE;'
    ask = "let a database administrator run:"
    assert after() == f"this login may not become docgraph_reader; {ask} {grant}"
    assert after(grant) == "ok"
    unbound = "row-level security does not bind docgraph_reader"
    remedy = "let a database administrator run: ALTER ROLE docgraph_reader NOSUPERUSER NOBYPASSRLS;"
    assert after("ALTER ROLE docgraph_reader BYPASSRLS") == f"{unbound}; {remedy}"
    assert after("ALTER ROLE docgraph_reader NOSUPERUSER NOBYPASSRLS") == "ok"
    remedy = 'let a database administrator run: REVOKE "stranger" FROM docgraph_reader;'
    member = ("REVOKE docgraph_reader FROM stranger", "GRANT stranger TO docgraph_reader")
    assert after(*member) == f"{unbound}, which is a member of this login; {remedy}"
    assert after('REVOKE "stranger" FROM docgraph_reader', "DROP ROLE docgraph_reader") == (
        "there is no role docgraph_reader; let a database administrator run: "
        f"CREATE ROLE docgraph_reader NOLOGIN; {grant}"
    )


@pytest.mark.usefixtures("quick_models")
def test_doctor_reports_that_another_login_may_connect(
    docgraph: Run, own_postgres: PostgresServer
) -> None:
    name = "mine"
    dsn = own_postgres.database(name)
    with own_postgres.superuser(name) as root:
        root.execute("DROP ROLE IF EXISTS docgraph_reader; CREATE EXTENSION vector")
        root.execute(f"ALTER ROLE {OWNER} CREATEROLE".encode())
    migrate(dsn)
    ok = (True, "no other login that may become docgraph_reader can connect")
    message = "other may connect to this database and become docgraph_reader; run: REVOKE CONNECT"
    with own_postgres.superuser() as root:
        assert findings(docgraph, dsn)["connect"] == ok
        root.execute("CREATE ROLE other LOGIN")
        assert findings(docgraph, dsn)["connect"] == ok
        root.execute("GRANT docgraph_reader TO other WITH INHERIT FALSE, SET TRUE")
        remedy = f'ON DATABASE "{name}" FROM PUBLIC;'
        assert findings(docgraph, dsn)["connect"] == (False, f"{message} {remedy}")
        with connect(dsn) as owner:
            owner.execute(f"REVOKE CONNECT {remedy}".encode())
        assert findings(docgraph, dsn)["connect"] == ok
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(own_postgres.dsn(name, "other"))
        root.execute(f'GRANT CONNECT ON DATABASE "{name}" TO other'.encode())
        remedy = f'ON DATABASE "{name}" FROM "other";'
        assert findings(docgraph, dsn)["connect"] == (False, f"{message} {remedy}")
    own_postgres.drop(dsn)
    with own_postgres.superuser() as root:
        root.execute("DROP ROLE other")
