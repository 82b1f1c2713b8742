"""Access is checked each time a saved plan is executed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from docgraph.model.errors import BadInput
from tests.acceptance.conftest import Run, data, items_of

STORE = ("--store", "s.db")
SECRET = "The launch code is 0000."


def ingest_page(docgraph: Run, name: str, text: str, *options: str) -> None:
    folder = Path(name)
    folder.mkdir(exist_ok=True)
    (folder / "page.md").write_text(f"# {name.title()} page\n\n{text}\n")
    assert docgraph("ingest", name, "-r", name, *STORE, *options).exit_code == 0


@pytest.fixture
def saved(docgraph: Run, elsewhere: Path) -> Path:
    """A plan of a readable page; another page is hidden."""
    ingest_page(docgraph, "open", "The launch is on Monday.")
    ingest_page(docgraph, "secret", SECRET, "--reader", "others")
    docgraph("plan", "When is the launch?", *STORE, "--save", "plan.json")
    return elsewhere / "plan.json"


@pytest.mark.requirement(34)
def test_a_hidden_document_is_in_no_output(docgraph: Run, saved: Path) -> None:
    for command in ("search", "plan", "context", "explain"):
        for form in ((), ("--json",)):
            shown = docgraph(command, "What is the launch code?", *STORE, *form)
            assert shown.exit_code == 0
            assert "secret" not in shown.output.lower()
    assert "secret" not in docgraph("status", *STORE).output


@pytest.mark.requirement(27)
@pytest.mark.requirement(34)
def test_a_plan_edited_to_name_a_hidden_document_does_not_reveal_it(
    docgraph: Run, saved: Path
) -> None:
    before = data(docgraph("run", str(saved), *STORE, "--json"))["context"]
    plan = json.loads(saved.read_text())

    def run_with(name: str) -> dict[str, object]:
        other = json.loads(json.dumps(plan))
        other["plan"]["seed_documents"].append(f"{name}:page.md")
        other["plan"]["order"].append(f"{name}:page.md")
        other["snapshots"].append({"repository": name, "branch": "main", "snapshot": 1})
        saved.write_text(json.dumps(other))
        found: dict[str, object] = data(docgraph("run", str(saved), *STORE, "--json"))["context"]
        return found

    hidden, absent = run_with("secret"), run_with("zzzzzz")
    assert SECRET not in json.dumps(hidden)
    assert [one["id"] for one in items_of(hidden)] == [one["id"] for one in items_of(before)]
    assert hidden == absent
    assert "edited" in docgraph("run", str(saved), *STORE).output


def test_a_plan_cannot_name_a_pipeline_file(docgraph: Run, saved: Path) -> None:
    """The pipeline of a plan is a built-in one, or the user names its file again."""
    plan = json.loads(saved.read_text())
    saved.write_text(json.dumps({**plan, "pipeline": "open/page.md"}))
    result = docgraph("run", str(saved), *STORE)
    assert isinstance(result.exception, BadInput)
    assert "launch" not in str(result.exception)
    assert docgraph("run", str(saved), *STORE, "-p", "documents").exit_code == 0


@pytest.mark.requirement(37)
def test_a_plan_does_not_outlive_its_permission(docgraph: Run, saved: Path) -> None:
    ingest_page(docgraph, "open", "The launch is on Monday.", "--reader", "others")
    context = data(docgraph("run", str(saved), *STORE, "--json"))["context"]
    assert context["documents"] == []
    assert context["reason"] == "nothing visible is left of this plan"
    arguments = ("context", "When is the launch?", *STORE, "--json")
    assert data(docgraph(*arguments))["context"]["reason"] == "no seeds: nothing visible matches"


@pytest.mark.requirement(25)
def test_without_relations_expansion_does_not_change_the_evidence(
    docgraph: Run, elsewhere: Path
) -> None:
    folder = elsewhere / "files"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nAbout fuel and part {number}.\n")
    docgraph("ingest", "files", "-r", "r", *STORE, "--without", "titles", "--without", "links")
    (elsewhere / "plain.yaml").write_text(
        "pipeline: documents\nextends: documents\nwithout: [expand_relationships]\n"
    )
    arguments = ("context", "fuel of part 3", *STORE, "--json")
    planned, plain = data(docgraph(*arguments)), data(docgraph(*arguments, "-p", "plain.yaml"))
    assert planned["context"] == plain["context"]
    assert planned["digest"] == plain["digest"]
    assert planned["context"]["documents"]


@pytest.mark.requirement(43)
def test_extends_changes_one_line_of_a_shipped_pipeline(docgraph: Run, elsewhere: Path) -> None:
    (elsewhere / "mine.yaml").write_text(
        "pipeline: mine\nextends: documents\nchange:\n  assemble_context: {max_tokens: 900}\n"
    )
    shipped = data(docgraph("check", "documents", "--json"))["steps"]
    mine = data(docgraph("check", "mine.yaml", "--json"))["steps"]
    assert (mine[:-2], mine[-1]) == (shipped[:-2], shipped[-1])
    assert (shipped[-2]["options"], mine[-2]["options"]) == (
        {"max_tokens": 4000},
        {"max_tokens": 900},
    )


def test_concurrent_ingests_are_both_stored(docgraph: Run, elsewhere: Path) -> None:
    command = str(Path(sys.executable).with_name("docgraph"))
    for name in ("one", "two"):
        (elsewhere / name).mkdir()
        (elsewhere / name / "page.md").write_text(f"# {name}\n\nA page.\n")
    running = [
        subprocess.Popen(
            [command, "ingest", name, "-r", name, *STORE, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
    found = data(docgraph("status", *STORE, "--json"))["scope"]["snapshots"]
    assert [name["repository"] for name in found] == ["one", "two"]
