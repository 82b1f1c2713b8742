"""docgraph diff: what two people, branches, snapshots, pipelines or receipts give."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput, NotVisible
from tests.acceptance.conftest import Run, data

STORE = ("--store", "s.db")
QUESTION = "How is fuel drawn?"


@pytest.fixture
def pages(docgraph: Run, elsewhere: Path) -> Path:
    """Two snapshots of main and one of dev; ann reads the second page alone."""
    folder = elsewhere / "pages"
    folder.mkdir()
    (folder / "pump.md").write_text("# Pump\n\nThe pump draws fuel, see [tank](tank.md).\n")
    ingest = ("ingest", "pages", *STORE, "--reader", "local")
    assert docgraph(*ingest).exit_code == 0
    (folder / "tank.md").write_text("# Tank\n\nFuel waits in the tank.\n")
    assert docgraph(*ingest).exit_code == 0
    (folder / "pump.md").write_text("# Pump\n\nThe pump draws twice, see [tank](tank.md).\n")
    assert docgraph(*ingest, "--branch", "dev").exit_code == 0
    readers = ("--reader", "local", "--reader", "crew")
    assert docgraph("access", "set", "tank.md", "-r", "pages", *readers, *STORE).exit_code == 0
    assert docgraph("principals", "add", "ann", "--group", "crew", *STORE).exit_code == 0
    return folder


@pytest.mark.requirement(49)
def test_two_snapshots(docgraph: Run, pages: Path) -> None:
    sides = ("-r", "pages", "-b", "main", "--snapshot", "1", "--snapshot", "2")
    found = data(docgraph("diff", QUESTION, *sides, *STORE, "--json"))
    assert found["differs"]
    assert found["diff"]["documents_gained"] == ["pages:tank.md"]
    assert found["diff"]["documents_lost"] == []
    assert found["diff"]["evidence_gained"] == ["pages:tank.md@0"]
    left, right = found["diff"]["total_tokens"]
    gained = [one for one in found["diff"]["tokens"] if one["name"] == "pages:tank.md"]
    assert left < right
    assert [one["left"] for one in gained] == [0]
    assert found["diff"]["settings"] == [
        {"name": "snapshot of pages", "left": "main 1", "right": "main 2"}
    ]


@pytest.mark.requirement(49)
def test_two_branches_with_one_text_changed(docgraph: Run, pages: Path) -> None:
    found = data(docgraph("diff", QUESTION, "-b", "main", "-b", "dev", *STORE, "--json"))["diff"]
    assert found["evidence_changed"] == ["pages:pump.md@0"]
    assert (found["documents_gained"], found["documents_lost"]) == ([], [])


@pytest.mark.requirement(49)
def test_two_people_each_with_their_own_rights(docgraph: Run, pages: Path) -> None:
    found = data(docgraph("diff", QUESTION, "--as", "local", "--as", "ann", *STORE, "--json"))
    assert found["diff"]["documents_lost"] == ["pages:pump.md"]
    named = {one["name"]: (one["left"], one["right"]) for one in found["diff"]["settings"]}
    assert named["principal"] == ("local", "ann")
    assert named["groups"] == ("local", "crew")
    shown = docgraph("diff", QUESTION, "--as", "local", "--as", "ann", *STORE).output
    assert "- pages:pump.md\n" in shown
    assert "- evidence pages:pump.md@0\n" in shown
    unknown = docgraph("diff", QUESTION, "--as", "ann", "--as", "bob", *STORE)
    assert isinstance(unknown.exception, NotVisible)


@pytest.mark.requirement(49)
def test_two_pipelines_with_the_edge_that_one_of_them_followed(docgraph: Run, pages: Path) -> None:
    Path("one.yaml").write_text(
        "pipeline: one\nextends: documents\nchange: {search_nodes: {top: 1}}\n"
    )
    Path("alone.yaml").write_text(
        "pipeline: one\nextends: one.yaml\nchange: {expand_relationships: {relations: []}}\n"
    )
    sides = ("-p", "one.yaml", "-p", "alone.yaml")
    found = data(docgraph("diff", "Pump", *sides, *STORE, "--json"))["diff"]
    assert found["edges_lost"] == [
        {"source": "pages:pump.md", "relation": "references", "target": "pages:tank.md"}
    ]
    assert found["settings"] == [
        {"name": "expand_relationships.relations", "left": "null", "right": "[]"}
    ]


def test_the_exit_code_tells_only_when_it_is_asked_to(docgraph: Run, pages: Path) -> None:
    other = ("--as", "local", "--as", "ann", *STORE)
    same = ("-p", "documents", "-p", "documents", *STORE)
    assert docgraph("diff", QUESTION, *other).exit_code == 0
    assert docgraph("diff", QUESTION, *other, "--exit-code").exit_code == 1
    assert docgraph("diff", QUESTION, *other, "--exit-code", "--json").exit_code == 1
    shown = docgraph("diff", QUESTION, *same, "--exit-code")
    assert (shown.exit_code, shown.output) == (0, "no difference in what they give\n")


def test_two_receipts_without_a_store(docgraph: Run, pages: Path) -> None:
    for name, more in (("a.json", ()), ("b.json", ()), ("c.json", ("--as", "ann"))):
        made = docgraph("context", QUESTION, *STORE, "--receipt", name, *more)
        assert made.exit_code == 0
    Path("s.db").unlink()
    same = docgraph("diff", "--receipt", "a.json", "--receipt", "b.json", "--exit-code")
    assert same.exit_code == 0
    found = docgraph("diff", "--receipt", "a.json", "--receipt", "c.json", "--exit-code")
    assert found.exit_code == 1
    assert "- pages:pump.md\n" in found.output
    assert "rights: " in found.output
    assert found.output.endswith("another context\n")


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ((QUESTION,), "both sides are the same"),
        ((QUESTION, "--as", "ann"), "both sides are the same"),
        ((QUESTION, "-b", "x", "-b", "y", "-b", "z"), "'z' is one too many"),
        (("--receipt", "a.json"), "give --receipt twice"),
        ((QUESTION, "--receipt", "a", "--receipt", "b"), "give --receipt twice"),
        (("--receipt", "none.json", "--receipt", "none.json"), "cannot be read"),
    ],
)
def test_what_has_no_two_sides_is_refused(
    docgraph: Run, pages: Path, words: tuple[str, ...], printed: str
) -> None:
    result = docgraph("diff", *words, *STORE)
    assert isinstance(result.exception, BadInput)
    assert printed in str(result.exception)
