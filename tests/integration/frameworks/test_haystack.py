"""A Haystack component, in Haystack's own pipelines."""

import asyncio
from pathlib import Path

import pytest
from haystack import AsyncPipeline, Pipeline
from haystack.components.builders import PromptBuilder

import docgraph
from docgraph.integrations.haystack import DocgraphRetriever
from docgraph.model.errors import BadInput
from docgraph.pipeline.load import load
from tests.support.notes_store import ADA, BOARD, QUESTION
from tests.support.provenance import HARMLESS, assert_provenance

TEMPLATE = "{% for document in documents %}{{ document.content }}\n{% endfor %}{{ question }}"


def made(retriever: DocgraphRetriever) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("evidence", retriever)
    pipeline.add_component("prompt", PromptBuilder(TEMPLATE, required_variables="*"))
    pipeline.connect("evidence.documents", "prompt.documents")
    return pipeline


def prompt_of(pipeline: Pipeline, **message: object) -> str:
    given = {"evidence": {"query": QUESTION, **message}, "prompt": {"question": QUESTION}}
    prompt: str = pipeline.run(given)["prompt"]["prompt"]
    return prompt


def test_documents_are_the_evidence_in_order_with_their_provenance(
    opened: docgraph.Docgraph,
) -> None:
    found = opened.retrieve(QUESTION)
    documents = DocgraphRetriever(opened).run(QUESTION)["documents"]
    assert_provenance([document.meta for document in documents], found)
    assert [document.id for document in documents] == [item.id for item in found.evidence]
    assert [document.score for document in documents] == [d.meta["similarity"] for d in documents]
    assert HARMLESS in "\n".join(document.content or "" for document in documents)


def test_a_pipeline_hands_the_evidence_to_a_prompt(opened: docgraph.Docgraph) -> None:
    prompt = prompt_of(made(DocgraphRetriever(opened)))
    assert opened.retrieve(QUESTION).evidence[0].text in prompt
    assert prompt.endswith(QUESTION)


def test_every_question_may_be_somebody_elses(opened: docgraph.Docgraph) -> None:
    pipeline = made(DocgraphRetriever(opened, as_=ADA))
    assert "board says stop" not in prompt_of(pipeline)
    assert "board says stop" in prompt_of(pipeline, as_=BOARD)
    assert prompt_of(pipeline, as_="ada") == prompt_of(pipeline)


def test_a_pipeline_that_was_saved_gives_the_same(store: Path) -> None:
    pipeline = made(DocgraphRetriever(store, repository="notes", max_tokens=80))
    again = Pipeline.loads(pipeline.dumps())
    assert prompt_of(again) == prompt_of(pipeline)
    assert again.dumps() == pipeline.dumps()


def test_a_saved_pipeline_finds_an_opened_store_again(opened: docgraph.Docgraph) -> None:
    pipeline = made(DocgraphRetriever(opened))
    assert prompt_of(Pipeline.loads(pipeline.dumps())) == prompt_of(pipeline)


def test_without_a_store_settings_say_where_it_is(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCGRAPH_STORE", str(store))
    pipeline = made(DocgraphRetriever())
    assert str(store) not in pipeline.dumps()
    assert QUESTION in prompt_of(Pipeline.loads(pipeline.dumps()))


def test_neither_password_nor_reader_is_saved(opened: docgraph.Docgraph) -> None:
    address = "postgresql://me:hush@127.0.0.1:1/db"
    for store in (address, docgraph.open(address)):
        with pytest.raises(BadInput, match="may hold a password"):
            DocgraphRetriever(store).to_dict()
    for who in ("ada", ADA):
        with pytest.raises(BadInput, match="who asks is not saved"):
            DocgraphRetriever(opened, as_=who).to_dict()
    with pytest.raises(BadInput, match="name the file"):
        DocgraphRetriever(opened, pipeline=load("documents")).to_dict()


@pytest.mark.requirement(38)
def test_who_asks_does_not_come_from_a_file(opened: docgraph.Docgraph) -> None:
    saved = DocgraphRetriever(opened).to_dict()
    saved["init_parameters"]["as_"] = "ada"
    with pytest.raises(BadInput, match="who asks does not come from a file"):
        DocgraphRetriever.from_dict(saved)


def test_it_can_be_awaited(opened: docgraph.Docgraph) -> None:
    pipeline = AsyncPipeline()
    pipeline.add_component("evidence", DocgraphRetriever(opened))
    found = asyncio.run(pipeline.run_async({"evidence": {"query": QUESTION, "as_": BOARD}}))
    assert found["evidence"] == DocgraphRetriever(opened).run(QUESTION, BOARD)
