"""The same input gives the same bytes, whatever the file order, process or hash seed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "README.md": "# Rocket\n\nThe [pump](docs/pump.md) feeds the Combustion Chamber.\n\n"
    "## Fuel\n\nKerosene and oxygen.\n\n## Fuel\n\nAgain.\n",
    "docs/pump.md": "---\nsupersedes: adr/0001-manual-pump.md\n---\n# Turbo Pump\n\nDraws fuel.\n",
    "docs/chamber.rst": "Combustion Chamber\n==================\n\nHot.\n\nWall\n----\n\nCooled.\n",
    "docs/adr/0001-manual-pump.md": "# ADR-1: Manual Pump\n\nStatus: superseded\n\nSlow.\n",
    "notes.txt": "Notes on the Turbo Pump\n\nIt hums. See ADR-1.\n",
    "engine.py": '"""The engine draws fuel with its pump."""\n\nimport tank\n\n\n'
    "def draw_fuel() -> int:\n    return tank.level()\n",
    "tank.py": "def level() -> int:\n    return 1\n",
}


def run_once(folder: Path, store: Path, order: str, seed: str) -> bytes:
    env = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-m", "tests.support.one_run", str(folder), str(store), order]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, env=env, cwd=root, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def write_files(folder: Path, paths: list[str]) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(FILES[path])
    return folder


@pytest.mark.requirement(7)
@pytest.mark.requirement(23)
def test_same_files_same_bytes_in_any_order_process_and_hash_seed(tmp_path: Path) -> None:
    one = write_files(tmp_path / "one", sorted(FILES))
    two = write_files(tmp_path / "two", sorted(FILES, reverse=True))
    forwards, backwards = (one, "forwards"), (two, "backwards")
    runs = (forwards, backwards, forwards, backwards, forwards, backwards)
    outputs = [
        run_once(
            folder, tmp_path / f"{at}.db", order, seed=str(at % 5)
        )  # the first seed in both orders
        for at, (folder, order) in enumerate(runs)
    ]
    assert len(set(outputs)) == 1
    found = json.loads(outputs[0])
    assert len(found["relations"]) >= 4
    assert all(context["documents"] for context in found["contexts"])
