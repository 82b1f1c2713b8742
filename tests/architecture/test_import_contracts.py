"""Each import contract is kept by the code as it stands, and breaks when broken on purpose."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True)
class Breach:
    """A line planted in a module (made where there is none), and the contract it breaks."""

    contract: str
    module: str
    line: str


BREACHES = (
    # Stages never import each other; imports never go up; every module has a place.
    Breach("layers", "ingest", "import docgraph.plan"),
    Breach("layers", "ports.stray", "import docgraph.action"),
    Breach("layers", "pipeline.stray", "import docgraph.engine.content"),
    Breach("layers", "engine", "import docgraph.wiring"),
    Breach("layers", "wiring", "import docgraph.evaluation"),
    Breach("layers", "evaluation", "import docgraph.interfaces"),
    Breach("layers", "utils", '"""Odds and ends."""'),
    # Only wiring imports adapters.
    Breach("adapters", "pipeline", "import docgraph.adapters"),
    Breach("adapters", "engine", "from docgraph.adapters import sqlite"),
    Breach("adapters", "evaluation", "import docgraph.adapters.sqlite"),
    Breach("adapters", "interfaces", "import docgraph.adapters.sqlite"),
    # Search sees neither text nor relations.
    Breach("search", "search", "from docgraph.ports.text_reads import TextReads"),
    Breach("search", "search", "from docgraph.ports.graph_reads import GraphReads"),
    Breach("search", "search", "from docgraph.ports.store import Store"),
    Breach("search", "search", "from docgraph.ports.indexes import ReadFilter"),
    Breach("search", "search", "from docgraph.model.document import Chunk"),
    # Plan sees no text.
    Breach("plan", "plan", "from docgraph.ports.text_reads import TextReads"),
    Breach("plan", "plan", "from docgraph.ports.store import Store"),
    Breach("plan", "plan", "from docgraph.ports.indexes import ReadFilter"),
    Breach("plan", "plan", "from docgraph.model.evidence import EvidenceChunk"),
    Breach("plan", "plan", "from docgraph.model.document import Document"),
    # Execute sees neither edges nor search.
    Breach("execute", "execute", "from docgraph.ports.graph_reads import GraphReads"),
    Breach("execute", "execute", "from docgraph.ports.search_reads import SearchReads"),
    Breach("execute", "execute", "from docgraph.ports.store import Store"),
    Breach("execute", "execute", "from docgraph.ports.indexes import ReadFilter"),
    Breach("execute", "execute", "from docgraph.model.edge import Edge"),
    # Answer sees a context, never the store.
    Breach("answer", "answer", "from docgraph.ports.text_reads import TextReads"),
    Breach("answer", "answer", "from docgraph.ports.store import Store"),
    Breach("answer", "answer", "from docgraph.ports.indexes import ReadFilter"),
    # Assemble is pure.
    Breach("assemble", "assemble", "from docgraph.ports.models import Embedder"),
    Breach("assemble", "assemble", "import numpy"),
    Breach("assemble", "assemble", "import os.path"),
    Breach("assemble", "assemble", "from pathlib import Path"),
    Breach("assemble", "assemble", "from time import monotonic"),
    # Model and ports know no library but numpy.
    Breach("libraries", "model", "import pydantic"),
    Breach("libraries", "ports", "from yaml import safe_load"),
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project as the linter sees it, free to be broken."""
    for folder in ("src", "checks"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def contracts() -> dict[str, str]:
    """The name of every contract by its id."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {c["id"]: c["name"] for c in project["tool"]["importlinter"]["contracts"]}


def plant(breach: Breach, project: Path) -> None:
    path = project / "src" / "docgraph" / breach.module.replace(".", "/")
    file = path.with_suffix(".py")
    if not file.exists() and "." not in breach.module:
        file = path / "__init__.py"
        path.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as module:
        module.write(f"\n{breach.line}\n")


def verdicts(project: Path) -> dict[str, str]:
    """What import-linter says of each contract by its id: KEPT or BROKEN."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    run = subprocess.run(
        [sys.executable, "-c", command, "--no-cache", "--no-logo"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict(re.findall(r"^(.+?) (KEPT|BROKEN)\b", run.stdout, flags=re.MULTILINE))
    assert said, run.stdout + run.stderr
    return {key: said[name] for key, name in contracts().items()}


@pytest.mark.requirement(27)
def test_the_code_as_it_stands_keeps_every_contract(copy: Path) -> None:
    assert verdicts(copy) == dict.fromkeys(contracts(), "KEPT")


@pytest.mark.parametrize("breach", BREACHES, ids=lambda b: f"{b.contract}: {b.module}: {b.line}")
def test_a_contract_broken_on_purpose_is_reported_and_no_other(breach: Breach, copy: Path) -> None:
    plant(breach, copy)
    broken = [key for key, verdict in verdicts(copy).items() if verdict == "BROKEN"]
    assert broken == [breach.contract]


def test_a_way_round_by_another_module_breaks_the_contract_too(copy: Path) -> None:
    plant(Breach("plan", "model.detour", "from docgraph.model.evidence import EvidenceChunk"), copy)
    plant(Breach("plan", "plan", "import docgraph.model.detour"), copy)
    assert verdicts(copy)["plan"] == "BROKEN"


def test_every_contract_is_broken_on_purpose_at_least_once() -> None:
    assert {breach.contract for breach in BREACHES} == set(contracts())
