"""onnxruntime's own telemetry is off: no machine id is stored and nothing is reported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EMBED = "from docgraph.adapters.onnx.granite import GraniteEmbedder; GraniteEmbedder().embed(['x'])"


def files_created_in(home: Path, code: str) -> list[str]:
    """Files that the code creates in an empty home folder."""
    home.mkdir()
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ORT_")}
    folders = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    subprocess.run([sys.executable, "-c", code], env={**clean, **folders}, check=True)
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("before", ["", "import onnxruntime; "], ids=["fresh", "imported before"])
def test_embedding_creates_no_file_in_the_home_folder(tmp_path: Path, before: str) -> None:
    """If the program imported onnxruntime before, its files may exist; docgraph adds none."""
    expected = files_created_in(tmp_path / "without", before) if before else []
    assert files_created_in(tmp_path / "with", before + EMBED) == expected
