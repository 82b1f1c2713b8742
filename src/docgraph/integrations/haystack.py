"""A component for Haystack: evidence as its documents. Needs docgraph[haystack]."""

import asyncio
import os
from typing import Any, Unpack

from docgraph.integrations.base import RetrieverOptions, missing_extra, open_docgraph
from docgraph.interfaces.auth.principals import ReaderLike
from docgraph.interfaces.python.docgraph import Docgraph
from docgraph.interfaces.python.open_store import Store
from docgraph.interfaces.python.options import QuestionOptions
from docgraph.model.errors import BadInput
from docgraph.pipeline.pipeline import Pipeline

# Before the import: it would keep an id of the machine, and report. Who has set it has chosen.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise missing_extra("Haystack", "haystack") from error


@component
class DocgraphRetriever:
    """The context's evidence, in its order; `meta` tells where each comes from, and why.

    `store` is a Docgraph, or what `docgraph.open` takes. A server names the reader with each
    question, as the input `as_`; a saved pipeline names nobody.
    """

    def __init__(
        self, store: Docgraph | Store | None = None, **options: Unpack[QuestionOptions]
    ) -> None:
        self._store = store
        self._retriever = RetrieverOptions(open_docgraph(store), options)

    @component.output_types(documents=list[Document])
    def run(self, query: str, as_: ReaderLike = None) -> dict[str, list[Document]]:
        items = self._retriever.retrieve(query, as_)
        return {
            "documents": [
                Document(id=item.id, content=item.text, meta=item.metadata, score=item.score)
                for item in items
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, as_: ReaderLike = None) -> dict[str, list[Document]]:
        """In a thread: docgraph's calls are synchronous."""
        return await asyncio.to_thread(self.run, query, as_)

    def to_dict(self) -> dict[str, Any]:
        """For a saved pipeline: no password, no reader, no steps but by name."""
        options: dict[str, Any] = {**self._retriever.options}
        if options.pop("as_", None) is not None:
            raise BadInput("who asks is not saved with a pipeline; name them in run, as as_=")
        pipeline = options.pop("pipeline", "documents")
        if isinstance(pipeline, Pipeline):
            raise BadInput("to be saved with a pipeline, name the file of docgraph's own steps")
        if "seeds" in options:
            options["seeds"] = list(options["seeds"])
        return default_to_dict(self, store=self._saved(), pipeline=os.fspath(pipeline), **options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "DocgraphRetriever":
        if "as_" in data.get("init_parameters", {}):
            raise BadInput("who asks does not come from a file; name them in run, as as_=")
        retriever: DocgraphRetriever = default_from_dict(cls, data)
        return retriever

    def _saved(self) -> str | None:
        """Without a store, settings say where it is, wherever the pipeline is loaded."""
        if self._store is None:
            return None
        saved = self._retriever.docgraph.saved_store()
        return saved if isinstance(self._store, Docgraph) else os.fspath(self._store)
