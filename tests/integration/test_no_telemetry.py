"""The model runs here and tells nobody: its library would keep an id of the machine, and report."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ASK = "from docgraph.adapters.onnx.granite import GraniteEmbedder; GraniteEmbedder().embed(['x'])"


def left_behind(home: Path, code: str) -> list[str]:
    """Files in the home of someone who has just begun."""
    home.mkdir()
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ORT_")}
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    subprocess.run([sys.executable, "-c", code], env={**clean, **places}, check=True)
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("before", ["", "import onnxruntime; "], ids=["fresh", "imported before"])
def test_embedding_leaves_nothing_in_the_home(tmp_path: Path, before: str) -> None:
    """Who has imported the library before us has made their own choice, and their own files;
    docgraph adds none."""
    theirs = left_behind(tmp_path / "theirs", before) if before else []
    assert left_behind(tmp_path / "ours", before + ASK) == theirs
