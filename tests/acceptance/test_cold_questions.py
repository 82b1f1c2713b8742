"""What a process that answers one question imports, since this is most of what it does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

QUESTION = "How long does the pump run?"
RUN = """
import json, sys
from docgraph.interfaces.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
watched = ("onnxruntime", "tokenizers", "pydantic", "rich", "docgraph.interfaces.cli.app")
print(json.dumps([name for name in watched if name in sys.modules]), file=sys.stderr)
"""


def ask(folder: Path, *words: str) -> tuple[str, list[str]]:
    """In a new process without settings: what it prints, and what it imported of `watched`."""
    plain = {name: value for name, value in os.environ.items() if "DOCGRAPH_" not in name}
    command = [sys.executable, "-c", RUN, *words]
    done = subprocess.run(
        command, cwd=folder, env=plain, capture_output=True, text=True, check=True
    )
    imported: list[str] = json.loads(done.stderr.splitlines()[-1])
    return done.stdout, imported


def words_pipeline(folder: Path) -> str:
    place = folder / "words.yaml"
    place.write_text("pipeline: words\nextends: documents\nchange: {search_nodes: {mode: bm25}}\n")
    return str(place)


def test_a_lexical_search_opens_no_model_and_no_tokenizer(rocket: Path, tmp_path: Path) -> None:
    pipeline = words_pipeline(tmp_path)
    words = ("search", QUESTION, "-p", pipeline, "--store", str(rocket), "--json")
    printed, imported = ask(tmp_path, *words)
    assert imported == []
    assert dict(json.loads(printed)["seeds"]["search"])["mode"] == "bm25"
    assert json.loads(printed)["seeds"]["ranked"]


def test_a_context_loads_the_model_but_neither_the_tokenizers_library_nor_all_commands(
    rocket: Path, tmp_path: Path
) -> None:
    printed, imported = ask(tmp_path, "context", QUESTION, "--store", str(rocket), "--json")
    assert imported == ["onnxruntime"]
    assert json.loads(printed)["context"]["tokens"] > 0


@pytest.mark.requirement(54)
def test_before_anything_is_embedded_a_context_opens_no_model_and_no_tokenizer(
    tmp_path: Path,
) -> None:
    (tmp_path / "pump.md").write_text("# Pump\n\nThe pump runs for an hour.\n")
    store = ("--store", str(tmp_path / "store.db"))
    ask(tmp_path, "ingest", "pump.md", "--quiet", "--no-embeddings", *store)
    printed, imported = ask(tmp_path, "context", QUESTION, "--json", *store)
    assert "onnxruntime" not in imported
    assert "tokenizers" not in imported
    assert "The pump runs for an hour." in json.loads(printed)["context"]["text"]


def test_a_command_gives_the_same_however_its_words_are_read(rocket: Path, tmp_path: Path) -> None:
    """`--store=FILE` is left to typer."""
    directly, without = ask(tmp_path, "context", QUESTION, "--store", str(rocket))
    typer, imported = ask(tmp_path, "context", QUESTION, f"--store={rocket}")
    assert directly == typer
    assert "docgraph.interfaces.cli.app" in imported
    assert "docgraph.interfaces.cli.app" not in without


def test_the_plan_of_a_lexical_search_still_holds_the_questions_vector(
    rocket: Path, tmp_path: Path
) -> None:
    """Execution selects each document's chunks by it."""
    words = ("plan", QUESTION, "-p", words_pipeline(tmp_path), "--store", str(rocket), "--json")
    printed, imported = ask(tmp_path, *words)
    assert "onnxruntime" in imported
    assert json.loads(printed)["plan"]["query_vector"]
