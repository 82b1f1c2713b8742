"""docgraph why: which stage removed a node, and which change would include it."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput
from tests.acceptance.conftest import Run, data

QUESTION = "What draws fuel?"


@pytest.fixture
def narrow(elsewhere: Path) -> str:
    path = elsewhere / "narrow.yaml"
    path.write_text("pipeline: narrow\nextends: documents\nchange: {search_nodes: {top: 1}}\n")
    return str(path)


@pytest.fixture
def without_edges(elsewhere: Path) -> str:
    path = elsewhere / "alone.yaml"
    path.write_text(
        "pipeline: alone\nextends: documents\nchange:\n  search_nodes: {top: 1}\n"
        "  expand_relationships: {relations: []}\n  select_scope: {kind: false, cluster: 0}\n"
    )
    return str(path)


def test_an_included_node_is_explained(docgraph: Run, rocket: Path) -> None:
    shown = docgraph("why", "docs/pump.md", QUESTION, "--store", str(rocket))
    assert shown.exit_code == 0
    assert shown.output.startswith("rocket:docs/pump.md is in the context\n")
    assert "readable by group local" in shown.output
    assert "includes it" not in shown.output


@pytest.mark.requirement(49)
def test_the_suggested_change_includes_the_node(
    docgraph: Run, rocket: Path, without_edges: str
) -> None:
    store = ("--store", str(rocket))
    found = data(
        docgraph("why", "docs/chamber.rst", QUESTION, "-p", without_edges, *store, "--json")
    )
    assert found["stage"] == "rank"
    assert [(one["action"], one["option"]) for one in found["change"]] == [("search_nodes", "top")]
    top = found["change"][0]["new"]
    for number, is_in in ((top - 1, False), (top, True)):
        changed = Path(without_edges).read_text().replace("top: 1", f"top: {number}")
        Path("changed.yaml").write_text(changed)
        context = data(docgraph("context", QUESTION, "-p", "changed.yaml", *store, "--json"))
        there = {one["document_id"] for one in context["context"]["documents"]}
        assert ("rocket:docs/chamber.rst" in there) == is_in
    shown = docgraph("why", "docs/chamber.rst", QUESTION, "-p", without_edges, *store).output
    assert f"search_nodes: {{top: {top}}}, which is 1 now" in shown


def test_the_suggested_token_budget_is_sufficient(docgraph: Run, rocket: Path) -> None:
    words = ("README.md", QUESTION, "--store", str(rocket))
    found = data(docgraph("why", *words, "--max-tokens", "60", "--json"))
    assert found["stage"] == "budget"
    (change,) = found["change"]
    assert (change["option"], change["old"]) == ("max_tokens", 60)
    enough = str(change["new"])
    assert data(docgraph("why", *words, "--max-tokens", enough, "--json"))["stage"] == "included"


@pytest.mark.requirement(49)
def test_why_not_is_an_alias_of_why(docgraph: Run, rocket: Path, narrow: str) -> None:
    words = ("tank.py", QUESTION, "-p", narrow, "--store", str(rocket))
    assert docgraph("why-not", *words).output == docgraph("why", *words).output


@pytest.mark.requirement(36)
def test_a_hidden_node_gives_the_same_output_as_an_absent_one(
    docgraph: Run, elsewhere: Path
) -> None:
    store = ("--store", "s.db")
    for name, readers in (("open", ()), ("secret", ("--reader", "others"))):
        (elsewhere / name).mkdir()
        (elsewhere / name / "page.md").write_text("# Launch\n\nThe launch code is 0000.\n")
        assert docgraph("ingest", name, *store, *readers).exit_code == 0
    for form in ((), ("--json",)):
        hidden = docgraph("why", "secret:page.md", "launch?", *store, *form)
        absent = docgraph("why", "zzzzzz:page.md", "launch?", *store, *form)
        messages = [str(one.exception) for one in (hidden, absent)]
        assert messages == [
            f"no visible node has the id '{node}'; did you mean 'open:page.md'?"
            for node in ("secret:page.md", "zzzzzz:page.md")
        ]
        assert hidden.exit_code == absent.exit_code
        assert hidden.output == absent.output
    assert docgraph("why", "page.md", "launch?", *store).output.startswith("open:page.md")


def test_the_error_for_an_ambiguous_path_lists_the_ids(docgraph: Run, elsewhere: Path) -> None:
    for name in ("one", "two"):
        (elsewhere / name).mkdir()
        (elsewhere / name / "page.md").write_text("# Launch\n")
        assert docgraph("ingest", name, "--store", "s.db").exit_code == 0
    result = docgraph("why", "page.md", "launch?", "--store", "s.db")
    assert isinstance(result.exception, BadInput)
    assert "one:page.md, two:page.md" in str(result.exception)
    assert docgraph("why", "page.md", "launch?", "-r", "one", "--store", "s.db").exit_code == 0
