"""Receipts on the command line: written beside an answer, checked alone, replayed on the store."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import Result

from docgraph.interfaces.cli.options import write_receipt
from docgraph.model.errors import BadInput
from tests.acceptance.conftest import Run, data
from tests.support.receipts import retrieval

STORE = ("--store", "s.db")
QUESTION = "How long is the pause?"
FILES = {
    "retry.md": "# Retry\n\nA failed upload is tried again after a pause: [waiting](wait.md).\n",
    "wait.md": "# Waiting\n\nThe pause doubles each time, up to an hour.\n",
    "limits.md": "# Limits\n\nAn upload may hold 2 GB.\n",
}


def ingest_source(docgraph: Run, store: str = "s.db", **texts: str) -> None:
    folder = Path("notes")
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, text in (FILES | {f"{name}.md": text for name, text in texts.items()}).items():
        if text:
            (folder / name).write_text(text)
    assert docgraph("ingest", "notes", "--store", store, "--reader", "local").exit_code == 0


@pytest.fixture
def notes(docgraph: Run, elsewhere: Path) -> Path:
    ingest_source(docgraph)
    return elsewhere


@pytest.mark.requirement(48)
@pytest.mark.parametrize(
    "asked",
    [
        ("context", QUESTION),
        ("context", QUESTION, "-p", "code", "--max-tokens", "60"),
        ("context", "--seed", "notes:retry.md"),
        ("plan", QUESTION),
        ("plan", "--seed", "notes:retry.md", "-p", "flat"),
    ],
    ids=" ".join,
)
def test_a_replay_prints_the_same_bytes(docgraph: Run, notes: Path, asked: tuple[str, ...]) -> None:
    first = docgraph(*asked, *STORE, "--receipt", "r.json")
    assert first.exit_code == 0, first.output
    ingest_source(docgraph, more="# More\n\nThe pause is long.\n", wait="# Waiting\n\nNo pause.\n")
    again = docgraph("replay", "r.json", *STORE)
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert again.stderr.startswith("the same: ")
    assert docgraph(*asked, *STORE).stdout != first.stdout or "--seed" in asked


@pytest.mark.requirement(48)
def test_the_same_question_gives_the_same_receipt(docgraph: Run, notes: Path) -> None:
    for name in ("one.json", "two.json"):
        docgraph("context", QUESTION, *STORE, "--receipt", name, "--json")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    printed = data(docgraph("context", QUESTION, *STORE, "--json"))
    assert json.loads(Path("one.json").read_text())["context_digest"] == printed["digest"]


@pytest.mark.requirement(48)
def test_machines_get_what_was_replayed(docgraph: Run, notes: Path) -> None:
    first = data(docgraph("context", QUESTION, *STORE, "--receipt", "r.json", "--json"))
    printed = data(docgraph("replay", "r.json", *STORE, "--json"))
    assert (printed["same"], printed["difference"], printed["notes"]) == (True, None, [])
    assert printed["context"] == first["context"]


@pytest.mark.requirement(48)
def test_a_check_needs_no_store(docgraph: Run, notes: Path) -> None:
    docgraph("context", QUESTION, *STORE, "--receipt", "r.json")
    Path("s.db").unlink()
    sound = docgraph("replay", "r.json", "--check")
    assert (sound.exit_code, sound.stdout.split(" ", 2)[2]) == (0, "is consistent\n")
    printed = data(docgraph("replay", "r.json", "--check", "--json"))
    assert printed == {"consistent": True, "problems": []}
    assert not Path(".docgraph").exists()


@pytest.mark.requirement(48)
def test_an_edited_receipt_does_not_pass_the_check(docgraph: Run, notes: Path) -> None:
    docgraph("context", QUESTION, *STORE, "--receipt", "r.json")
    written = Path("r.json").read_text()
    Path("r.json").write_text(written.replace("notes:wait.md", "notes:limits.md"))
    checked = docgraph("replay", "r.json", "--check")
    assert checked.exit_code == 1
    assert "the plan's digest is not that of the plan" in checked.stdout
    machines = docgraph("replay", "r.json", "--check", "--json")
    assert machines.exit_code == 1
    assert json.loads(machines.stdout)["problems"]
    refused = docgraph("replay", "r.json", *STORE)
    assert isinstance(refused.exception, BadInput)
    assert "not consistent" in str(refused.exception)


def seen(result: Result) -> tuple[int, str, str]:
    return (result.exit_code, result.stdout, result.stderr)


@pytest.mark.requirement(36)
@pytest.mark.requirement(48)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["people", "machines"])
def test_what_is_gone_reads_alike_however_it_went(
    docgraph: Run, notes: Path, form: tuple[str, ...]
) -> None:
    docgraph("context", QUESTION, *STORE, "--receipt", "r.json")
    docgraph("principals", "add", "nemo", "--group", "others", *STORE)
    never = seen(docgraph("replay", "r.json", *STORE, "--as", "nemo", *form))
    docgraph("access", "revoke", "wait.md", "-r", "notes", *STORE)
    revoked = seen(docgraph("replay", "r.json", *STORE, *form))
    docgraph("access", "reset", "wait.md", "-r", "notes", *STORE)
    assert docgraph("replay", "r.json", *STORE).exit_code == 0
    ingest_source(docgraph, wait="")
    docgraph("prune", "-r", "notes", "-b", "main", "--keep", "1", *STORE)
    deleted = seen(docgraph("replay", "r.json", *STORE, *form))
    assert docgraph("ingest", "notes", "-r", "elsewhere", "--store", "o.db").exit_code == 0
    nowhere = seen(docgraph("replay", "r.json", "--store", "o.db", *form))
    assert {never, revoked, deleted, nowhere} == {never}
    assert never[0] == 1
    assert "no longer available" in never[1]
    assert never[2] == ""
    assert "wait.md" not in never[1]


@pytest.mark.requirement(48)
def test_the_first_step_that_differs_is_named_with_what_changed(docgraph: Run, notes: Path) -> None:
    docgraph("context", QUESTION, *STORE, "--receipt", "r.json")
    set_ = ("access", "set", "wait.md", "-r", "notes", "--reader", "everyone", *STORE)
    assert docgraph(*set_).exit_code == 0
    found = docgraph("replay", "r.json", *STORE)
    assert found.exit_code == 1
    assert found.stdout.splitlines()[0] == "differs from step 4 of 5 (fetch_evidence) on: content"


@pytest.mark.parametrize("command", ["plan", "context"])
def test_a_receipt_that_cannot_be_written_is_an_error(
    docgraph: Run, notes: Path, command: str
) -> None:
    refused = docgraph(command, QUESTION, *STORE, "--receipt", "nowhere/r.json")
    assert isinstance(refused.exception, BadInput)
    assert "nowhere/r.json: cannot be written" in str(refused.exception)
    assert refused.stdout == ""


@pytest.mark.parametrize("command", ["plan", "context", "ask"])
def test_a_seed_that_is_no_text_is_refused_with_a_message(
    docgraph: Run, notes: Path, command: str
) -> None:
    refused = docgraph(command, "--seed", "notes:\udcff", *STORE, "--receipt", "r.json")
    assert isinstance(refused.exception, BadInput)
    assert str(refused.exception) == "an id holds bytes that are not text"
    assert not Path("r.json").exists()


def test_a_receipt_that_would_hold_no_text_is_refused_with_a_message(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    done = retrieval()
    odd = replace(done, request=replace(done.request, seeds=("r:\udcff",)))
    with pytest.raises(BadInput, match="cannot be written: it would hold what is no text"):
        write_receipt(file, odd)
    assert not file.exists()


@pytest.mark.requirement(48)
def test_another_budget_is_not_noted_as_another_pipeline(docgraph: Run, notes: Path) -> None:
    docgraph("context", QUESTION, *STORE, "--max-tokens", "60", "--receipt", "r.json")
    assert data(docgraph("replay", "r.json", *STORE, "--json"))["notes"] == []


@pytest.mark.parametrize("form", [(), ("--check",)], ids=["replay", "check"])
def test_what_is_no_receipt_is_refused(docgraph: Run, notes: Path, form: tuple[str, ...]) -> None:
    docgraph("plan", QUESTION, *STORE, "--save", "plan.json")
    for name, words in (("absent.json", "cannot be read"), ("plan.json", "not a receipt")):
        refused = docgraph("replay", name, *STORE, *form)
        assert isinstance(refused.exception, BadInput)
        assert words in str(refused.exception)


def test_the_installed_command_tells_by_its_exit_code(docgraph: Run, notes: Path) -> None:
    docgraph("context", QUESTION, *STORE, "--receipt", "r.json")
    program = [str(Path(sys.executable).with_name("docgraph")), "replay", "r.json", *STORE]
    assert subprocess.run(program, check=False, capture_output=True).returncode == 0
    docgraph("access", "revoke", "wait.md", "-r", "notes", *STORE)
    assert subprocess.run(program, check=False, capture_output=True).returncode == 1


@pytest.mark.requirement(48)
def test_an_answers_receipt_replays_as_far_as_its_context(docgraph: Run, notes: Path) -> None:
    first = docgraph("context", QUESTION, *STORE)
    docgraph("ask", QUESTION, *STORE, "--receipt", "r.json")
    again = docgraph("replay", "r.json", *STORE)
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert "the answer was not asked for again" in again.stderr
