"""A retriever for LangChain: evidence as its documents. Needs docgraph[langchain]."""

import asyncio
from typing import Any

from pydantic import Field, InstanceOf, PrivateAttr

from docgraph.integrations.base import RetrieverOptions, missing, opened
from docgraph.interfaces.auth.principals import AskedAs
from docgraph.interfaces.python.docgraph import Docgraph, Store
from docgraph.model.access import Person
from docgraph.pipeline.pipeline import Pipeline

try:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as error:
    raise missing("LangChain", "langchain") from error


class DocgraphRetriever(BaseRetriever):
    """The context's evidence, in its order; `metadata` tells where each comes from, and why.

    `store` is a Docgraph, or what `docgraph.open` takes. Whoever a server asks for is named with
    each question: `retriever.invoke(question, as_=person)`, or `retriever.bind(as_=person)`.
    """

    # An address may hold a password, and tracers print a retriever.
    store: InstanceOf[Docgraph] | Store | None = Field(default=None, repr=False, exclude=True)
    as_: str | InstanceOf[Person] | None = None
    pipeline: InstanceOf[Pipeline] | Store = "documents"
    repository: str | None = None
    branch: str | None = None
    snapshot: int | None = None
    max_tokens: int | None = None
    _question: RetrieverOptions = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._question = RetrieverOptions(
            opened(self.store),
            self.as_,
            self.pipeline,
            self.repository,
            self.branch,
            self.snapshot,
            self.max_tokens,
        )

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - LangChain tells its own
        as_: AskedAs = None,
    ) -> list[Document]:
        found = self._question.ask(query, as_)
        return [Document(item.text, id=item.id, metadata=item.metadata) for item in found]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, as_: AskedAs = None
    ) -> list[Document]:
        """In a thread: the core waits for nobody's event loop."""
        told = run_manager.get_sync()
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=told, as_=as_
        )
