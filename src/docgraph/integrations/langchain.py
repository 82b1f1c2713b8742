"""A retriever for LangChain: evidence as its documents. Needs docgraph[langchain]."""

import asyncio
from typing import Any

from pydantic import Field, InstanceOf, PrivateAttr

from docgraph.integrations.base import (
    RetrieverFields,
    RetrieverOptions,
    missing_extra,
    open_docgraph,
)
from docgraph.interfaces.auth.principals import ReaderLike
from docgraph.interfaces.python.docgraph import Docgraph
from docgraph.interfaces.python.open_store import Store

try:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing_extra("LangChain", "langchain") from error


class DocgraphRetriever(RetrieverFields, BaseRetriever):
    """The context's evidence, in its order; `metadata` tells where each comes from, and why.

    `store` is a Docgraph, or what `docgraph.open` takes. A server names the reader with each
    question: `retriever.invoke(question, as_=person)`, or `retriever.bind(as_=person)`.
    """

    # An address may hold a password, and tracers print a retriever.
    store: InstanceOf[Docgraph] | Store | None = Field(default=None, repr=False, exclude=True)
    _retriever: RetrieverOptions = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._retriever = RetrieverOptions(open_docgraph(self.store), self.options())

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain reports its own
        as_: ReaderLike = None,
    ) -> list[Document]:
        items = self._retriever.retrieve(query, as_)
        return [Document(item.text, id=item.id, metadata=item.metadata) for item in items]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        as_: ReaderLike = None,
    ) -> list[Document]:
        """In a thread: docgraph's calls are synchronous."""
        manager = run_manager.get_sync()
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=manager, as_=as_
        )
