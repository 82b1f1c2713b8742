"""Dockerfile and compose.yaml, as far as they can be tested without Docker."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import psycopg
import pytest
import yaml

from tests.support.postgres_server import PostgresServer, _programs

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
PREPARE: str = COMPOSE["configs"]["prepare"]["content"]
DOCGRAPH = str(Path(sys.executable).with_name("docgraph"))
AWKWARD_PASSWORD = r"""it's $HOME, "50%" \ @/:#"""  # breaks wrong quoting
REQUIRED = re.compile(r"\$\{(\w+):\?[^}]+\}")  # Compose refuses to start without it
SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|KEY(?!S)")


class Instruction(NamedTuple):
    stage: int
    name: str
    words: str


def instructions() -> Iterator[Instruction]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    whole = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    stage = 0
    for line in filter(None, map(str.strip, whole.splitlines())):
        name, _, words = line.partition(" ")
        stage += name == "FROM"
        yield Instruction(stage, name, words.strip())


DOCKERFILE = tuple(instructions())
LAST = max(one.stage for one in DOCKERFILE)


def arguments_of(name: str, stage: int = LAST) -> list[str]:
    return [one.words for one in DOCKERFILE if (one.stage, one.name) == (stage, name)]


def is_ignored(path: str) -> bool:
    """As Docker reads .dockerignore: the last line that matches a path or a parent decides."""
    ignored = False
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern = line.removeprefix("!")
            if any(_matches(place, pattern) for place in (path, *_parents(path))):
                ignored = not line.startswith("!")
    return ignored


def _parents(path: str) -> list[str]:
    return [str(place) for place in PurePosixPath(path).parents if place.name]


def _matches(path: str, pattern: str) -> bool:
    place = PurePosixPath(path)
    if pattern.startswith("**/"):
        return fnmatchcase(place.name, pattern.removeprefix("**/"))
    parts = PurePosixPath(pattern).parts
    return len(parts) == len(place.parts) and all(map(fnmatchcase, place.parts, parts))


# Dockerfile


def copied_sources() -> list[str]:
    own = (words.split() for words in arguments_of("COPY", stage=1))
    return [source for sources in own for source in sources[:-1]]


def test_the_sources_of_the_image_exist_and_are_in_the_build_context() -> None:
    assert copied_sources()
    for source in copied_sources():
        found = ROOT / source
        assert found.exists(), source
        files = [found] if found.is_file() else [f for f in found.rglob("*") if f.is_file()]
        sources = [f for f in files if "__pycache__" not in f.parts]
        assert not [f for f in sources if is_ignored(f.relative_to(ROOT).as_posix())]


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".git/config",
        ".venv/bin/python",
        ".docgraph/docgraph.db",
        "notes.md",
        "compose.yaml",
        "docs/containers.md",
        "tests/README.md",
        "src/docgraph/__pycache__/engine.cpython-312.pyc",
        "src/docgraph/adapters/__pycache__/clock.cpython-312.pyc",
    ],
)
def test_other_files_are_not_in_the_build_context(path: str) -> None:
    assert is_ignored(path)


def test_pip_installs_only_packages_with_a_hash_in_the_lock() -> None:
    runs = [json.loads(words) for words in arguments_of("RUN", stage=1)]
    first, *others = (command for command in runs if command[0] == "pip")
    assert first[1] == "download"
    assert {"--require-hashes", "--no-deps", "--only-binary", "requirements-dev.lock"} <= {*first}
    for command in others:
        assert "--no-index" in command
        assert command[command.index("--find-links") + 1] == first[first.index("--dest") + 1]
    assert others[-1][-1] == "docgraph[all]"


def test_the_image_has_no_build_tools_and_no_secrets() -> None:
    (only,) = arguments_of("RUN")
    installed = re.findall(r"apt-get install (.*?) &&", only)
    assert [word for words in installed for word in words.split() if word[0] != "-"] == ["git"]
    assert arguments_of("COPY") == ["--from=build /opt/docgraph /opt/docgraph"]
    set_to = " ".join(one.words for one in DOCKERFILE if one.name in {"ENV", "ARG"})
    assert not SECRET.search(set_to)
    assert "ORT_DISABLE_TELEMETRY=1" in set_to.split(), "onnxruntime would report to its makers"


def test_the_image_runs_docgraph_as_an_unprivileged_user() -> None:
    assert arguments_of("USER") == [SERVICES["docgraph"]["user"]]
    (entry,) = arguments_of("ENTRYPOINT")
    assert json.loads(entry) == ["docgraph"], "no shell in between: it would keep signals"
    (health,) = arguments_of("HEALTHCHECK")
    assert json.loads(health.partition("CMD ")[2]) == ["docgraph", "doctor"]


def test_base_images_have_a_version_and_no_registry() -> None:
    bases = [one.words.split()[0] for one in DOCKERFILE if one.name == "FROM"]
    images = [service["image"] for service in SERVICES.values() if "image" in service]
    assert images
    for image in (*bases, *images):
        assert re.fullmatch(r"(?:[a-z0-9]+/)?[a-z0-9]+:[a-z]*\d[\w.-]*", image), image


# compose.yaml


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)
def test_a_service_has_minimal_privileges(service: dict[str, Any]) -> None:
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["user"].partition(":")[0] not in {"", "0", "root"}
    assert not {"privileged", "cap_add", "network_mode", "pid"} & set(service)
    # Compose cannot put an inline config into a read-only container, and says so.
    assert service.get("read_only", False) == ("configs" not in service)


def test_only_the_server_is_reachable_and_it_requires_authentication() -> None:
    opened = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert opened == {"server": ["127.0.0.1:${DOCGRAPH_PORT:-8000}:8000"]}
    fronts = [name for name, service in SERVICES.items() if "front" in service.get("networks", ())]
    assert fronts == ["server"]
    assert SERVICES["server"]["environment"]["DOCGRAPH_LOGIN_KEYS"] == "on"
    assert SERVICES["server"]["environment"].items() > SERVICES["docgraph"]["environment"].items()


def test_services_have_no_access_to_other_networks() -> None:
    assert COMPOSE["networks"] == {"default": {"internal": True}, "front": {}}
    mounted = [place for s in SERVICES.values() for place in s.get("volumes", ())]
    assert sorted(set(mounted)) == [
        "${DOCGRAPH_FOLDER:-.}:/work:ro",
        "postgres:/var/lib/postgresql",  # where the image of version 18 keeps its data
    ]
    assert arguments_of("WORKDIR") == ["/work"]


def test_a_password_has_no_default_and_the_docs_name_its_variable() -> None:
    docs = (DOCS / "containers.md").read_text(encoding="utf-8")
    for service in SERVICES.values():
        for name, value in service["environment"].items():
            if SECRET.search(name):
                assert (variable := REQUIRED.fullmatch(value)), name
                assert f"`{variable[1]}`" in docs
    assert SERVICES["db"]["environment"].keys() == {"POSTGRES_PASSWORD", "DOCGRAPH_PASSWORD"}
    assert "$" not in PREPARE, "Compose would put something in its place"


def test_services_wait_for_their_dependencies() -> None:
    assert SERVICES["migrate"]["command"] == ["migrate"]
    assert SERVICES["migrate"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    migrated = {"migrate": {"condition": "service_completed_successfully"}}
    assert SERVICES["docgraph"]["depends_on"] == SERVICES["server"]["depends_on"] == migrated
    assert {SERVICES[name]["restart"] for name in ("migrate", "docgraph")} == {"no"}


def test_the_database_is_prepared_as_documented() -> None:
    documented, *_ = re.findall(
        r"^```sql\n(.*?)^```$", (DOCS / "postgres.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    _, _, commands = PREPARE.partition("\n")
    assert commands.replace(":'password'", "'…'") == documented


# On a real server


@pytest.fixture(scope="module")
def prepared_server(own_postgres: PostgresServer) -> PostgresServer:
    """As the image does with a new volume: psql runs the file, as the superuser."""
    with own_postgres.superuser() as root:
        root.execute("DROP ROLE docgraph_reader")
    hba = own_postgres.folder / "data" / "pg_hba.conf"
    hba.write_text(f"local all docgraph scram-sha-256\n{hba.read_text()}")
    own_postgres.restart()
    subprocess.run(
        [
            *(_programs(oldest=False) / "psql", "--no-password", "--no-psqlrc"),
            *("--variable", "ON_ERROR_STOP=1", "--host", own_postgres.folder),
            *("--username", "postgres", "--dbname", "postgres", "--file", "-"),
        ],
        input=PREPARE,
        env={"DOCGRAPH_PASSWORD": AWKWARD_PASSWORD},
        text=True,
        check=True,
    )
    return own_postgres


def environment(server: PostgresServer) -> dict[str, str]:
    """What the service docgraph gets, with this server in the place of `db`."""
    given = {"DOCGRAPH_PASSWORD": AWKWARD_PASSWORD}
    written: dict[str, str] = SERVICES["docgraph"]["environment"]
    values = {
        name: REQUIRED.sub(lambda match: given[match[1]], value) for name, value in written.items()
    }
    assert values["DOCGRAPH_STORE"] == "postgresql://docgraph@db/docgraph"
    store = server.dsn("docgraph", "docgraph")
    return {"PATH": os.environ["PATH"], **values, "DOCGRAPH_STORE": store}


def test_the_health_check_uses_tcp(prepared_server: PostgresServer) -> None:
    """Until the database is prepared, the image's server listens on its socket only."""
    mark, program, *words = SERVICES["db"]["healthcheck"]["test"]
    assert (mark, program) == ("CMD", "pg_isready")
    assert "--host=127.0.0.1" in words
    here = [word.replace("127.0.0.1", str(prepared_server.folder)) for word in words]
    command = [_programs(oldest=False) / program, *here]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def test_the_database_login_needs_its_password(prepared_server: PostgresServer) -> None:
    address = prepared_server.dsn("docgraph", "docgraph")
    with psycopg.connect(address, password=AWKWARD_PASSWORD) as connection:
        row = connection.execute(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls FROM pg_roles "
            "WHERE rolname = current_user"
        ).fetchone()
    assert row == (False, False, False, False)
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(address, password="guessed")


def check_server(prepared_server: PostgresServer, folder: Path) -> None:
    """The command and environment of the service, on a free port."""
    service = SERVICES["server"]
    words = [{"8000": "0", "/work": str(folder)}.get(word, word) for word in service["command"]]
    variables = {**environment(prepared_server), "DOCGRAPH_LOGIN_KEYS": "on"}
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [DOCGRAPH, *words],
            cwd=folder,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as server,
    ):
        try:
            assert server.stdout is not None
            port = server.stdout.readline().rstrip().rpartition(":")[2]
            program, *rest = service["healthcheck"]["test"][1:]
            assert program == "python"
            check = [sys.executable, *(word.replace("8000", port) for word in rest)]
            healthy = [subprocess.run(check, check=False, stderr=subprocess.DEVNULL).returncode]
            while healthy[-1] != 0 and len(healthy) < 60:
                time.sleep(0.5)
                healthy.append(subprocess.run(check, check=False, capture_output=True).returncode)
            assert healthy[-1] == 0, (folder / "log").read_text()
        finally:
            server.terminate()
    assert server.returncode == 0


def test_the_login_can_migrate_and_doctor_finds_no_problem(
    prepared_server: PostgresServer, tmp_path: Path
) -> None:
    def run(*words: str) -> str:
        done = subprocess.run(
            [DOCGRAPH, *words],
            cwd=tmp_path,
            env=environment(prepared_server),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("migrate").endswith(" is up to date\n")
    check_server(prepared_server, tmp_path)
    findings = json.loads(run("doctor", "--json"))["findings"]
    assert [one for one in findings if not one["good"]] == []
    details = {one["part"]: one["detail"] for one in findings}
    assert details["login"] == "docgraph, no superuser; none is needed"
    assert "nothing pending" in details["migrations"]
