"""A whole question, answered by a real model out of a real store."""

from pathlib import Path

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.adapters.onnx.granite import GraniteTokenCounter
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.interfaces.auth.principals import local
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.receipt_check import find_receipt_problems
from docgraph.pipeline.request import QuestionRequest
from tests.llm.model_server import WINDOW
from tests.support.engines import make_engine
from tests.support.small_world import IDENTITY, document, write


@pytest.mark.requirement(45)
def test_a_question_is_answered_from_its_context_by_a_real_model(base: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        long = "The harbour opens at six and closes at nine in the evening. " * 20
        write(writes, [document("harbour.md", "The lighthouse is green on Tuesdays.", long)])
        writes.publish()
    model = EndpointChat(base, "smollm2", context_window=WINDOW, counter=GraniteTokenCounter())
    engine = make_engine(store, tokens=GraniteTokenCounter, chat_models=lambda: (model,))
    pieces: list[str] = []
    pipeline = load("documents").with_options("answer_question", max_output=48)
    found = engine.questions.ask(
        QuestionRequest(local(), pipeline, "Which colour is the lighthouse on Tuesdays?"),
        on_text=pieces.append,
    )
    answer = found.answer
    assert "".join(pieces).strip() == answer.text
    assert len(pieces) > 1
    assert answer.kind in ("answered", "not_enough_evidence")
    assert answer.generation is not None
    assert answer.generation.prompt_tokens + answer.generation.output_tokens <= WINDOW
    assert found.context.max_tokens < 4000, "the page was made to fit"
    numbers = {item.number for item in found.context.items if item.number}
    assert {source.number for source in answer.sources} <= numbers
    assert find_receipt_problems(receipt_of(found)) == ()
