"""Bad input gets a clear error and changes nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docgraph.model.errors import BadInput, BadPlan, DocgraphError, WrongSchema
from tests.acceptance.conftest import Run, data

INGEST = ("--repository", "r", "--store", "s.db")


def error_message(result: object, kind: type[DocgraphError]) -> str:
    error = getattr(result, "exception", None)
    assert isinstance(error, kind), result
    return str(error)


def test_an_empty_folder_is_refused_and_no_snapshot_appears(docgraph: Run, elsewhere: Path) -> None:
    (elsewhere / "empty").mkdir()
    assert "there are no files" in error_message(docgraph("ingest", "empty", *INGEST), BadInput)
    assert data(docgraph("status", "--store", "s.db", "--json"))["scope"]["snapshots"] == []


def test_the_error_for_a_missing_folder_names_it(docgraph: Run) -> None:
    assert "nowhere" in error_message(docgraph("ingest", "nowhere", *INGEST), BadInput)


def test_an_empty_path_is_an_error_and_not_this_folder(docgraph: Run, elsewhere: Path) -> None:
    (elsewhere / "a.md").write_text("# A")
    assert "docgraph ingest ." in error_message(docgraph("ingest", ""), BadInput)
    assert [path.name for path in elsewhere.iterdir()] == ["a.md"]


@pytest.mark.requirement(11)
def test_bad_files_are_listed_with_reasons_and_the_others_are_ingested(
    docgraph: Run, elsewhere: Path
) -> None:
    folder = elsewhere / "files"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n\nFine.\n")
    (folder / "binary.txt").write_bytes(b"\x00\x01\x02" * 100)
    (folder / "latin.md").write_bytes("# Café\n".encode("latin-1"))
    os.mkfifo(folder / "pipe.md")
    (folder / "dangling.md").symlink_to("nowhere.md")
    with (folder / "huge.txt").open("wb") as huge:
        huge.truncate(100_000_000)
    result = data(docgraph("ingest", "files", *INGEST, "--json"))
    reasons = {problem["path"]: problem["reason"] for problem in result["problems"]}
    assert sorted(reasons) == ["binary.txt", "dangling.md", "huge.txt", "latin.md", "pipe.md"]
    assert "binary" in reasons["binary.txt"]
    assert "UTF-8" in reasons["latin.md"]
    assert "100000000" in reasons["huge.txt"].replace(",", "").replace("_", "")
    assert result["added"] == 1
    shown = docgraph("ingest", "files", *INGEST).output
    assert "latin.md" in shown


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_reported(docgraph: Run, elsewhere: Path) -> None:
    folder = elsewhere / "files"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n")
    (folder / "locked.md").write_text("# Locked\n")
    (folder / "locked.md").chmod(0)
    (problem,) = data(docgraph("ingest", "files", *INGEST, "--json"))["problems"]
    assert problem["path"] == "locked.md"


def test_a_question_to_a_missing_store_creates_no_file(docgraph: Run, elsewhere: Path) -> None:
    message = error_message(docgraph("search", "anything", "--store", "none.db"), BadInput)
    assert "docgraph ingest" in message
    assert not (elsewhere / "none.db").exists()


def test_a_store_from_another_version_is_refused(docgraph: Run, elsewhere: Path) -> None:
    import sqlite3

    (elsewhere / "f").mkdir()
    (elsewhere / "f" / "a.md").write_text("# A\n")
    docgraph("ingest", "f", *INGEST)
    raw = sqlite3.connect("s.db")
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    assert "schema 99" in error_message(docgraph("status", "--store", "s.db"), WrongSchema)


def test_an_empty_question_is_refused(docgraph: Run, rocket: Path) -> None:
    assert "ask" in error_message(docgraph("context", " ", "--store", str(rocket)), BadInput)


def test_results_that_cannot_be_written_are_an_error_before_any_question(
    docgraph: Run, rocket: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "docgraph.engine.questions.QuestionService.retrieve", lambda *_: pytest.fail("asked")
    )
    (elsewhere / "q.yaml").write_text('- {question: "What burns?", must_include: [a.md]}\n')
    found = docgraph("test", "q.yaml", "--store", str(rocket), "--junit", "nowhere/results.xml")
    assert "nowhere/results.xml: cannot be written" in error_message(found, BadInput)


@pytest.mark.parametrize("text", ["", "{}", "[1, 2]", '{"format": "other"}', "not json", "\x00"])
def test_a_file_that_is_not_a_plan_is_refused(
    docgraph: Run, rocket: Path, elsewhere: Path, text: str
) -> None:
    (elsewhere / "plan.json").write_text(text)
    error_message(docgraph("run", "plan.json", "--store", str(rocket)), BadPlan)


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("  - expand_relationships: {}\n", "bad.yaml:3: step 1 (expand_relationships)"),
        ("  - search_nodse: {}\n", "did you mean 'search_nodes'"),
        ("  - search_nodes: {tops: 3}\n", "did you mean 'top'"),
        ("  - search_nodes: {top: many}\n", "bad.yaml:3: step 1 (search_nodes): top: 'many'"),
        (
            "  - search_nodes: {}\n  - expand_relationships:\n      relations: [likes]\n",
            "no relation is called 'likes'",
        ),
    ],
)
def test_a_pipeline_that_breaks_a_contract_is_refused_with_file_and_line(
    docgraph: Run, elsewhere: Path, steps: str, message: str
) -> None:
    (elsewhere / "bad.yaml").write_text(f"pipeline: bad\nsteps:\n{steps}")
    assert message in error_message(docgraph("check", "bad.yaml"), DocgraphError)


def test_errors_are_one_line_or_json(elsewhere: Path) -> None:
    command = [str(Path(sys.executable).with_name("docgraph")), "status", "--store", "none.db"]
    text = subprocess.run(command, capture_output=True, text=True, check=False)
    assert text.returncode == 1
    assert text.stderr.startswith("docgraph: there is no store at none.db")
    assert text.stderr.count("\n") == 1
    json_output = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert json_output.returncode == 1
    assert '"kind": "BadInput"' in json_output.stdout
