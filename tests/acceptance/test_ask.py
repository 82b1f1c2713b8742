"""docgraph ask, with a model server over real HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Run
from tests.integration.test_asking import streamed
from tests.support.scripted_server import Server, serve_script

QUESTION = "What does the engine burn?"


@pytest.fixture
def server(elsewhere: Path) -> Iterator[Server]:
    """Configured in docgraph.yaml."""
    with serve_script(lambda _: streamed("It burns fuel [1]. It is loud. Very [77].")) as server:
        settings = (
            f"answer:\n  - {{endpoint: '{server.base}', model: tiny, context_window: 4000}}\n"
        )
        (elsewhere / "docgraph.yaml").write_text(settings, encoding="utf-8")
        yield server


@pytest.mark.requirement(45)
def test_an_answer_is_printed_with_sources_and_warnings(
    docgraph: Run, rocket: Path, server: Server
) -> None:
    found = docgraph("ask", QUESTION, "--store", str(rocket))
    assert found.exit_code == 0, found.output
    lines = found.output.splitlines()
    assert lines[0] == "It burns fuel [1]. It is loud. Very [77]."
    assert lines[1].startswith("[1] rocket:")
    assert lines[2:5] == [
        'careful: "It is loud." cites nothing',
        'careful: "Very [77]." cites [77], which is not there',
        'careful: "Very [77]." cites nothing',
    ]
    assert lines[5].startswith("tiny: about ")
    assert len(server.asked) == 1


@pytest.mark.requirement(45)
def test_the_answer_is_available_as_json(docgraph: Run, rocket: Path, server: Server) -> None:
    found = docgraph("ask", QUESTION, "--store", str(rocket), "--json")
    result = json.loads(found.output)
    assert result["answer"]["kind"] == "answered"
    assert [source["number"] for source in result["answer"]["sources"]] == [1]
    assert {"path", "first_line", "last_line", "page"} <= result["answer"]["sources"][0][
        "location"
    ].keys()
    assert result["answer"]["generation"]["context_digest"] == result["context_digest"]


@pytest.mark.requirement(46)
def test_without_a_model_the_context_is_printed_with_a_notice(docgraph: Run, rocket: Path) -> None:
    found = docgraph("ask", QUESTION, "--store", str(rocket))
    context = docgraph("context", QUESTION, "--store", str(rocket)).output
    assert found.output.startswith(
        "no model is configured: this is the context that one would read"
    )
    assert context[: context.rindex(" tokens: ")].rpartition("\n")[0] in found.output
    assert "\n[1] rocket:" in found.output


@pytest.mark.requirement(46)
def test_without_evidence_no_model_is_called(
    docgraph: Run, rocket: Path, server: Server, word_search: str
) -> None:
    found = docgraph("ask", "zzz", "--pipeline", word_search, "--store", str(rocket))
    assert found.output.startswith("not enough evidence")
    assert server.asked == []


def test_an_error_of_the_server_is_reported(docgraph: Run, rocket: Path, server: Server) -> None:
    server.script.append((401, {"error": {"message": "no such key"}}, {}))
    found = docgraph("ask", QUESTION, "--store", str(rocket))
    assert "answered 401" in str(found.exception)
    assert "no such key" in str(found.exception)


def test_expectations_of_questions_are_tested(docgraph: Run, rocket: Path, elsewhere: Path) -> None:
    listed = docgraph("search", QUESTION, "--store", str(rocket), "--json")
    first = json.loads(listed.output)["seeds"]["ranked"][0]["id"]
    (elsewhere / "q.yaml").write_text(
        f"- question: {json.dumps(QUESTION)}\n  must_include: ['{first}']\n"
        f"- question: {json.dumps(QUESTION)}\n  must_not_include: ['{first}']\n"
        f"- question: {json.dumps(QUESTION)}\n  as: nobody\n  must_include: ['{first}']\n",
        encoding="utf-8",
    )
    found = docgraph("test", "q.yaml", "--store", str(rocket), "--junit", "results.xml")
    assert found.exit_code == 1
    lines = found.output.splitlines()
    assert lines[0].startswith(f"ok   {QUESTION}")
    assert lines[1].startswith(f"FAIL {QUESTION}")
    assert f"includes {first}" in lines[2]
    assert "cannot be asked" in found.output
    assert lines[-1] == "1 as expected, 2 not"
    assert 'failures="2"' in (elsewhere / "results.xml").read_text(encoding="utf-8")
