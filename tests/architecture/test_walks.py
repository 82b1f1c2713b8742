"""The two walks of docs/architecture.md name exactly the files that each command enters."""

import re
import tomllib
from pathlib import Path

from checks.entered_files import profile_ingest, profile_question

ROOT = Path(__file__).parent.parent.parent
PACKAGE = ROOT / "src" / "docgraph"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRY = PROJECT["scripts"]["docgraph"]


def documented_files(heading: str) -> set[str]:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    _, _, section = page.partition(f"## {heading}\n")
    return set(re.findall(r"`([\w/]+\.py)`", section.partition("\n## ")[0]))


def test_the_walk_of_a_question_is_complete() -> None:
    entered = {path.as_posix() for path in profile_question(PACKAGE, ENTRY)}
    assert documented_files("A question, file by file") == entered


def test_the_walk_of_an_ingest_is_complete() -> None:
    entered = {path.as_posix() for path in profile_ingest(PACKAGE, ENTRY)}
    assert documented_files("An ingest, file by file") == entered
