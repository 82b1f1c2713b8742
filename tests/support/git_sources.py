"""Reads git repositories in tests: files, refusals, and processes that still run."""

import os
from pathlib import Path

import pytest

from docgraph.adapters.sources.folder import FolderSource
from docgraph.adapters.sources.git import GitSource
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceProblem


def read_files(source: GitSource | FolderSource) -> dict[str, bytes | str]:
    """Every file's bytes, and every problem's reason."""
    found: dict[str, bytes | str] = {}
    for file in source.files():
        data = file if isinstance(file, SourceProblem) else source.read(file)
        found[file.path] = data.reason if isinstance(data, SourceProblem) else data
    return found


def read_at(place: Path, ref: str = "HEAD") -> dict[str, bytes | str]:
    with GitSource(place, ref) as source:
        return read_files(source)


def refusal_of(place: Path, ref: str = "main") -> str:
    with pytest.raises(BadInput) as error:
        GitSource(place, ref)
    assert "\n" not in str(error.value)
    return str(error.value)


CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")
requires_children_file = pytest.mark.skipif(not CHILDREN.exists(), reason="only Linux tells them")


def processes() -> set[str]:
    """Children of this process that still run, or that nobody has waited for."""
    return set(CHILDREN.read_text().split())
