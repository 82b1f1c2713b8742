"""A LangChain retriever, in LangChain's own chains."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.load import dumps
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

import docgraph
from docgraph.integrations.langchain import DocgraphRetriever
from docgraph.model.errors import NotVisible
from tests.support.notes_store import ADA, BOARD, QUESTION
from tests.support.provenance import HARMLESS, assert_provenance


def test_documents_are_the_evidence_in_order_with_their_provenance(
    opened: docgraph.Docgraph,
) -> None:
    found = opened.retrieve(QUESTION)
    documents = DocgraphRetriever(store=opened).invoke(QUESTION)
    assert_provenance([document.metadata for document in documents], found)
    assert [document.id for document in documents] == [item.id for item in found.evidence]
    for document in documents:
        assert document.page_content in found.context.text
    assert HARMLESS in "\n".join(document.page_content for document in documents)


def test_a_chain_hands_the_evidence_to_a_model(opened: docgraph.Docgraph) -> None:
    sent: list[str] = []

    def joined(documents: list[Document]) -> str:
        return "\n".join(document.page_content for document in documents)

    def pieces(prompt: Any) -> Any:
        sent.append(prompt.to_string())
        return prompt

    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    retriever = DocgraphRetriever(store=opened)
    chain = (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | prompt
        | pieces
        | FakeListChatModel(responses=["every minute [1]"])
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION) == "every minute [1]"
    assert opened.retrieve(QUESTION).evidence[0].text in sent[0]
    assert QUESTION in sent[0]


def test_a_store_is_opened_by_its_path(store: Path) -> None:
    by_path, by_name = (DocgraphRetriever(store=named) for named in (store, str(store)))
    assert by_path.invoke(QUESTION) == by_name.invoke(QUESTION)


def test_every_question_may_be_somebody_elses(opened: docgraph.Docgraph) -> None:
    retriever = DocgraphRetriever(store=opened, as_="ada")
    boards = DocgraphRetriever(store=opened, as_=BOARD).invoke(QUESTION)
    assert retriever.invoke(QUESTION) == retriever.invoke(QUESTION, as_=ADA) != boards
    assert retriever.invoke(QUESTION, as_=BOARD) == boards
    assert retriever.bind(as_=BOARD).invoke(QUESTION) == boards
    assert retriever.invoke(QUESTION, as_=None) == retriever.invoke(QUESTION)
    with pytest.raises(NotVisible, match="nobody is called"):
        retriever.invoke(QUESTION, as_="nobody")


def test_nobody_is_made_of_a_dictionary(opened: docgraph.Docgraph) -> None:
    with pytest.raises(ValueError, match="instance of Person"):
        DocgraphRetriever(store=opened, as_={"id": "bob", "tenant": "local"})  # type: ignore[arg-type]


def test_a_budget_and_a_place_are_kept(opened: docgraph.Docgraph) -> None:
    small = DocgraphRetriever(store=opened, max_tokens=80, pipeline="documents").invoke(QUESTION)
    assert 0 < len(small) < len(DocgraphRetriever(store=opened).invoke(QUESTION))
    with pytest.raises(NotVisible):
        DocgraphRetriever(store=opened, repository="minutes").invoke(QUESTION)


def test_it_can_be_awaited(opened: docgraph.Docgraph) -> None:
    retriever = DocgraphRetriever(store=opened)

    async def both() -> list[list[Document]]:
        return list(
            await asyncio.gather(
                retriever.ainvoke(QUESTION), retriever.ainvoke(QUESTION, as_=BOARD)
            )
        )

    expected = [retriever.invoke(QUESTION), retriever.invoke(QUESTION, as_=BOARD)]
    assert asyncio.run(both()) == expected


def test_no_password_is_printed_or_saved() -> None:
    retriever = DocgraphRetriever(store="postgresql://me:hush@127.0.0.1:1/db")
    assert "hush" not in repr(retriever) + str(retriever.model_dump()) + dumps(retriever)
