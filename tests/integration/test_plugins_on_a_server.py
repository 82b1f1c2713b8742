"""A server imports no distribution but those that its settings name."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from docgraph.wiring.plugins import ACTIONS, BACKENDS, FORMATS, MINERS, SHIPPED
from tests.support.distributions import write_distribution
from tests.support.http_server import DOCGRAPH, ServerProcess, serve_in

# An import leaves a file behind in the working folder.
WITNESS = """
from pathlib import Path

from docgraph.action import action
from docgraph.model.seeds import Seeds

Path("imported.txt").write_text("by this process")


@action()
def watch_seeds(seeds: Seeds) -> Seeds:
    return seeds
"""
WATCHED = {
    "pipeline": "watched",
    "steps": [{"search_nodes": {}}, {"watch_seeds": {}}, {"expand_relationships": {}}],
}
ASKED = {"question": "When does the tide turn?", "pipeline": WATCHED}


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A distribution, and a store that an ingest made where it is installed."""
    folder = tmp_path_factory.mktemp("ingested")
    packages = folder / "packages"
    packages.mkdir()
    entries = {ACTIONS: {"watch_seeds": "watch_seeds"}}
    write_distribution(packages, "pl-witness", WITNESS, entries)
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("# Tide\n\nThe tide turns at noon.\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(packages))
        ingest(folder)
    return folder


@pytest.fixture
def place(ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, for one test; the distribution is installed for every process."""
    shutil.copytree(ingested, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    return tmp_path


def ingest(place: Path, store: str = "s.db") -> None:
    assert run(place, "ingest", "notes", "--store", store).returncode == 0


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DOCGRAPH, *words],
        cwd=place,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def imported(place: Path) -> bool:
    return (place / "imported.txt").exists()


def ended_job(server: ServerProcess, **body: Any) -> dict[str, Any]:
    answer = server.client.post("/v1/ingestions", json=body)
    assert answer.status_code == 202, answer.text
    for _ in range(600):
        job: dict[str, Any] = server.client.get(answer.headers["location"]).json()
        if job["state"] in {"succeeded", "failed"}:
            return job
        time.sleep(0.05)
    pytest.fail("the job does not end")


def test_the_command_line_loads_what_is_installed(place: Path) -> None:
    (place / "watched.yaml").write_text(json.dumps(WATCHED))
    assert not imported(place)  # the ingest needed no action
    assert run(place, "plan", "tide", "-p", "watched.yaml", "--store", "s.db").returncode == 0
    assert imported(place)
    (place / "imported.txt").unlink()
    (place / "docgraph.yaml").write_text("plugins: []\n")
    refused = run(place, "plan", "tide", "-p", "watched.yaml", "--store", "s.db")
    assert "no action is called 'watch_seeds'" in refused.stderr
    assert not imported(place)


@pytest.mark.parametrize("named", ["", "plugins: []\n", "plugins: [docgraph-toml]\n"])
def test_a_server_imports_no_distribution_that_its_settings_do_not_name(
    place: Path, named: str
) -> None:
    ingest(place, "own.db")  # it knows the folder that it was made from: the server reads it again
    everything = {group: {"watched": "WATCHED"} for group in SHIPPED}
    write_distribution(place / "packages", "pl-witness", WITNESS, everything)
    (place / "docgraph.yaml").write_text(f"serve: {{roots: [.]}}\n{named}")
    with serve_in(place, "--store", "own.db") as server:
        server.ready()
        answer = server.client.post("/v1/plans", json=ASKED)
        assert answer.status_code == 422
        assert "no action is called 'watch_seeds'" in answer.text
        assert ended_job(server, path="notes")["state"] == "succeeded"
        address = server.client.post("/v1/ingestions", json={"path": "watched://notes"})
        assert address.status_code == 404, address.text
        assert server.end()[0] == 0
    refused = run(place, "serve", "--store", "watched://x")
    assert "a store is the path of a SQLite file" in refused.stderr
    assert not imported(place)


def test_mcp_over_http_is_a_server(place: Path) -> None:
    (place / "watched.yaml").write_text(json.dumps(WATCHED))
    (place / "docgraph.yaml").write_text("serve: {pipelines: {watched: watched.yaml}}\n")
    refused = run(place, "mcp", "--http", "--port", "0", "--store", "s.db")
    assert "no action is called 'watch_seeds'" in refused.stderr
    assert not imported(place)
    stdio = run(place, "mcp", "--store", "s.db")  # its input has ended
    assert stdio.returncode == 0, stdio.stderr
    assert imported(place)


def test_a_server_loads_what_its_settings_name_when_it_starts(place: Path) -> None:
    (place / "docgraph.yaml").write_text("plugins: [pl-witness]\n")
    with serve_in(place, "--store", "s.db") as server:
        assert imported(place)
        server.ready()
        answer = server.client.post("/v1/plans", json=ASKED)
        assert answer.status_code == 200, answer.text
        assert server.end()[0] == 0


@pytest.mark.parametrize(
    ("group", "code", "reason"),
    [
        (MINERS, "1 / 0\n", "plug-in 'x' (docgraph.miners) of pl-bad 1.0 cannot be loaded"),
        (FORMATS, "X = 1\n", "cannot be used: it leads to int, not Format"),
        (BACKENDS, "X = 1\n", "cannot be used: it leads to int, not Backend"),
    ],
)
def test_a_server_does_not_start_with_a_plug_in_that_fails(
    place: Path, group: str, code: str, reason: str
) -> None:
    write_distribution(place / "packages", "pl-bad", code, {group: {"x": "X"}})
    (place / "docgraph.yaml").write_text("plugins: [pl-bad]\n")
    refused = run(place, "serve", "--port", "0", "--store", "s.db")
    assert reason in refused.stderr
    (place / "docgraph.yaml").write_text("plugins: [pl-gone]\n")
    refused = run(place, "serve", "--port", "0", "--store", "s.db")
    assert "plugins: no distribution 'pl-gone' is installed" in refused.stderr


NO_LOOKUP = """
import importlib.metadata, sys

def refuse(*arguments, **options):
    raise SystemExit("installed packages were looked up")

for name in ("distribution", "distributions", "entry_points"):
    setattr(importlib.metadata, name, refuse)
from docgraph.interfaces.cli.main import main

main()
"""


@pytest.mark.parametrize(
    "words",
    [["--help"], ["context", "tide", "--store", "s.db"], ["ask", "tide", "--store", "s.db"]],
)
def test_a_question_looks_up_no_installed_package(place: Path, words: list[str]) -> None:
    done = subprocess.run(
        [DOCGRAPH[0], "-c", NO_LOOKUP, *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_help_does_not_import_what_looks_up_packages(place: Path) -> None:
    code = "import sys\nfrom docgraph.interfaces.cli.main import main\ntry:\n    main()\nfinally:\n"
    code += "    assert 'importlib.metadata' not in sys.modules\n"
    done = subprocess.run(
        [DOCGRAPH[0], "-c", code, "--help"], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
