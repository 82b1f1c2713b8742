"""A LlamaIndex retriever, in LlamaIndex's own query engine."""

import asyncio
from pathlib import Path

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode

import docgraph
from docgraph.integrations.llamaindex import DocgraphRetriever
from tests.support.notes_store import BOARD, QUESTION
from tests.support.provenance import HARMLESS, assert_provenance


def test_nodes_are_the_evidence_in_order_with_their_provenance(opened: docgraph.Docgraph) -> None:
    found = opened.retrieve(QUESTION)
    nodes = DocgraphRetriever(opened).retrieve(QUESTION)
    assert_provenance([node.metadata for node in nodes], found)
    assert [node.node_id for node in nodes] == [item.id for item in found.evidence]
    assert [node.node.ref_doc_id for node in nodes] == [item.document_id for item in found.evidence]
    for node in nodes:
        assert node.get_content(MetadataMode.LLM) == node.text
        assert node.get_content(MetadataMode.EMBED) == node.text
        assert node.text in found.context.text
    assert HARMLESS in "\n".join(node.text for node in nodes)


def test_a_score_is_the_similarity_of_a_chunk(opened: docgraph.Docgraph) -> None:
    near = DocgraphRetriever(opened).retrieve(QUESTION)
    assert all(node.score is not None and -1 <= node.score <= 1 for node in near)
    assert [node.score for node in near] == [node.metadata["similarity"] for node in near]
    assert len({node.score for node in near}) > 1


def test_a_query_engine_answers_from_the_evidence(opened: docgraph.Docgraph) -> None:
    found = opened.retrieve(QUESTION)
    engine = RetrieverQueryEngine(
        retriever=DocgraphRetriever(opened),
        response_synthesizer=get_response_synthesizer(llm=MockLLM()),
    )
    answer = engine.query(QUESTION)
    assert found.evidence[0].text in str(answer)  # the model says what it was sent
    assert [node.node_id for node in answer.source_nodes] == [item.id for item in found.evidence]


def test_a_retriever_asks_for_its_reader(store: Path, opened: docgraph.Docgraph) -> None:
    mine = DocgraphRetriever(store, repository="notes").retrieve(QUESTION)
    boards = DocgraphRetriever(opened, as_=BOARD).retrieve(QUESTION)
    assert "board says stop" in "\n".join(node.text for node in boards)
    assert "board says stop" not in "\n".join(node.text for node in mine)


def test_it_can_be_awaited_and_holds_no_loop_up(opened: docgraph.Docgraph) -> None:
    retriever = DocgraphRetriever(opened)
    nodes = asyncio.run(retriever.aretrieve(QUESTION))
    assert [node.to_dict() for node in nodes] == [
        node.to_dict() for node in retriever.retrieve(QUESTION)
    ]


def test_a_question_is_needed(opened: docgraph.Docgraph) -> None:
    with pytest.raises(docgraph.DocgraphError, match="ask a question"):
        DocgraphRetriever(opened).retrieve(" ")
