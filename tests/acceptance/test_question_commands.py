"""The commands from a folder to a context."""

import json
from pathlib import Path

import pytest

from docgraph.model.node import document_of
from tests.acceptance.conftest import Run, data, items_of

QUESTION = "How does the pump draw fuel?"


@pytest.mark.requirement(15)
def test_search_gives_ids_and_scores_and_no_text(docgraph: Run, rocket: Path) -> None:
    found = data(docgraph("search", QUESTION, "--store", str(rocket), "--json"))
    assert found["seeds"]["ranked"][0]["id"] in {"rocket:docs/pump.md", "rocket:engine.py"}
    assert "Draws fuel" not in json.dumps(found)
    shown = docgraph("search", QUESTION, "--store", str(rocket))
    assert "rocket:docs/pump.md" in shown.output


@pytest.mark.requirement(18)
def test_an_exact_identifier_finds_its_definition(docgraph: Run, rocket: Path) -> None:
    arguments = ("where is draw_fuel?", "--store", str(rocket), "--json")
    (first, *_) = data(docgraph("search", *arguments))["seeds"]["ranked"]
    assert (first["id"], first["why"]) == ("rocket:engine.py", "defines draw_fuel")
    (first, *_) = data(docgraph("search", *arguments, "-p", "code"))["seeds"]["ranked"]
    assert first["id"] == "rocket:engine.py::draw_fuel"


@pytest.mark.requirement(20)
def test_a_plan_is_printed_as_a_tree(docgraph: Run, rocket: Path) -> None:
    shown = docgraph("plan", "What is the README about?", "--store", str(rocket)).output
    assert "rocket:README.md  seed" in shown
    assert "seed" in shown
    assert "->" in shown


@pytest.mark.requirement(23)
@pytest.mark.requirement(28)
def test_a_saved_plan_run_later_gives_the_same_context(
    docgraph: Run, rocket: Path, elsewhere: Path
) -> None:
    arguments = (QUESTION, "--store", str(rocket), "--json")
    docgraph("plan", *arguments, "--save", "plan.json")
    saved = json.loads((elsewhere / "plan.json").read_text())
    assert saved["plan"]["query_vector"]
    assert saved["snapshots"] == [{"repository": "rocket", "branch": "main", "snapshot": 1}]
    again = data(docgraph("run", "plan.json", "--store", str(rocket), "--json"))
    assert again["context"] == data(docgraph("context", *arguments))["context"]


@pytest.mark.requirement(32)
@pytest.mark.requirement(33)
def test_every_item_of_a_context_has_its_reasons(docgraph: Run, rocket: Path) -> None:
    context = data(docgraph("context", QUESTION, "--store", str(rocket), "--json"))["context"]
    for document in context["documents"]:
        assert list(document) == ["document_id", "tokens", "concepts", "chunks"]
        assert all(item["number"] == 0 for item in document["concepts"])
        assert all(item["number"] > 0 for item in document["chunks"])
        items = [*document["concepts"], *document["chunks"]]
        assert document["tokens"] == sum(item["tokens"] for item in items)
        assert {document_of(item["node"]) for item in items} == {document["document_id"]}
    for item in items_of(context):
        assert all(item["why"][part] for part in ("rule", "access", "budget"))
    assert context["tokens"] <= context["max_tokens"]
    shown = docgraph("explain", QUESTION, "--store", str(rocket)).output
    assert "readable by group local" in shown
    assert "seed 1 of" in shown


@pytest.mark.requirement(32)
def test_a_smaller_budget_gives_a_smaller_context(docgraph: Run, rocket: Path) -> None:
    arguments = ("context", QUESTION, "--store", str(rocket), "--json", "--max-tokens", "60")
    small = data(docgraph(*arguments))["context"]
    assert 0 < small["tokens"] <= 60
    assert small["omitted"]


@pytest.mark.requirement(24)
def test_explicit_ids_can_be_the_seeds_without_a_question(docgraph: Run, rocket: Path) -> None:
    arguments = ("--seed", "rocket:README.md", "--store", str(rocket))
    plan = data(docgraph("plan", *arguments, "--json"))["plan"]
    assert plan["seed_documents"] == ["rocket:README.md"]
    assert plan["query_vector"] == []
    context = data(docgraph("context", *arguments, "--json"))["context"]
    assert any("Kerosene" in item["text"] for item in items_of(context))


@pytest.mark.requirement(26)
def test_without_seeds_the_context_is_empty_and_has_a_reason(
    docgraph: Run, rocket: Path, word_search: str
) -> None:
    arguments = ("context", "zzz", "--pipeline", word_search, "--store", str(rocket), "--json")
    context = data(docgraph(*arguments))["context"]
    assert (context["documents"], context["reason"]) == ([], "no seeds: nothing visible matches")


@pytest.mark.requirement(44)
def test_a_run_can_be_exported_step_by_step(docgraph: Run, rocket: Path) -> None:
    trace = data(docgraph("explain", QUESTION, "--store", str(rocket), "--json"))["trace"]
    assert [step["action"] for step in trace["steps"]] == [
        "search_nodes",
        "select_scope",
        "expand_relationships",
        "fetch_evidence",
        "assemble_context",
    ]
    for earlier, later in zip(trace["steps"], trace["steps"][1:], strict=False):
        assert earlier["output"] in later["inputs"]
        assert later["options"]
        assert later["milliseconds"] >= 0


def test_check_reports_relations_that_a_store_lacks(docgraph: Run, rocket: Path) -> None:
    arguments = ("check", "code", "--store", str(rocket))
    assert data(docgraph(*arguments, "--json"))["missing_relations"] == [
        "implements",
        "inherits",
        "reads",
        "writes",
    ]
    assert "no relation of type: implements" in docgraph(*arguments).output
    assert "missing_relations" not in data(docgraph("check", "code", "--json"))


def test_status_reports_counts_and_the_embedder(docgraph: Run, rocket: Path) -> None:
    found = data(docgraph("status", "--store", str(rocket), "--json"))
    assert found["counts"]["nodes.document"] == 5
    assert found["counts"]["nodes.code"] == 2
    assert found["embedder"]["name"] == "granite-embedding-30m-english"


def test_doctor_tests_every_part(docgraph: Run, rocket: Path) -> None:
    found = data(docgraph("doctor", "--store", str(rocket), "--json"))["findings"]
    assert list(dict.fromkeys(finding["part"] for finding in found)) == [
        "python",
        "sqlite",
        "settings",
        "tokenizer",
        "embedder",
        "readers",
        "parsing",
        "vectors",
        "store",
        "callers",
        "plugins",
    ]
    assert all(finding["good"] for finding in found)


def test_doctor_reports_a_problem_and_fails(docgraph: Run, elsewhere: Path) -> None:
    (elsewhere / "bad.db").write_text("no database " * 100)
    result = docgraph("doctor", "--store", "bad.db")
    assert result.exit_code == 1
    assert "not a docgraph store" in result.output


def test_the_demo_prints_plan_explanation_and_context(docgraph: Run, elsewhere: Path) -> None:
    shown = docgraph("demo").output
    for part in (
        "$ docgraph ingest",
        "$ docgraph plan",
        "$ docgraph explain",
        "$ docgraph context",
    ):
        assert part in shown
    assert "-> superseded_by  5. notes:0005-back-off.md" in shown, "search alone misses the answer"
    assert "The\npause now doubles, from one minute up to an hour." in shown
    assert (elsewhere / ".docgraph" / "demo.db").is_file()
