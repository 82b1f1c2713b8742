"""A component for Haystack: evidence as its documents. Needs docgraph[haystack]."""

import asyncio
import os
from typing import Any

from docgraph.integrations.base import RetrieverOptions, missing, opened
from docgraph.interfaces.auth.principals import AskedAs
from docgraph.interfaces.python.docgraph import Docgraph, Steps, Store
from docgraph.model.errors import BadInput
from docgraph.pipeline.pipeline import Pipeline

# Before the import: it would keep an id of the machine, and report. Who has set it has chosen.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise missing("Haystack", "haystack") from error


@component
class DocgraphRetriever:
    """The context's evidence, in its order; `meta` tells where each comes from, and why.

    `store` is a Docgraph, or what `docgraph.open` takes. Whoever a server asks for is named with
    each question, as the input `as_`; a saved pipeline names nobody.
    """

    def __init__(
        self,
        store: Docgraph | Store | None = None,
        *,
        as_: AskedAs = None,
        pipeline: Steps = "documents",
        repository: str | None = None,
        branch: str | None = None,
        snapshot: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self._store = store
        self._question = RetrieverOptions(
            opened(store), as_, pipeline, repository, branch, snapshot, max_tokens
        )

    @component.output_types(documents=list[Document])
    def run(self, query: str, as_: AskedAs = None) -> dict[str, list[Document]]:
        found = self._question.ask(query, as_)
        return {
            "documents": [
                Document(id=item.id, content=item.text, meta=item.metadata, score=item.score)
                for item in found
            ]
        }

    @component.output_types(documents=list[Document])
    async def run_async(self, query: str, as_: AskedAs = None) -> dict[str, list[Document]]:
        """In a thread: the core waits for nobody's event loop."""
        return await asyncio.to_thread(self.run, query, as_)

    def to_dict(self) -> dict[str, Any]:
        """For a saved pipeline: no password, no reader, no steps but by name."""
        asked = self._question
        if asked.as_ is not None:
            raise BadInput("who asks is not saved with a pipeline; name them in run, as as_=")
        if isinstance(asked.pipeline, Pipeline):
            raise BadInput("to be saved with a pipeline, name the file of docgraph's own steps")
        return default_to_dict(
            self,
            store=self._saved(),
            pipeline=os.fspath(asked.pipeline),
            repository=asked.repository,
            branch=asked.branch,
            snapshot=asked.snapshot,
            max_tokens=asked.max_tokens,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "DocgraphRetriever":
        if "as_" in data.get("init_parameters", {}):
            raise BadInput("who asks does not come from a file; name them in run, as as_=")
        found: DocgraphRetriever = default_from_dict(cls, data)
        return found

    def _saved(self) -> str | None:
        """Without a store, settings say where it is, wherever the pipeline is loaded."""
        if self._store is None:
            return None
        whole = self._question.docgraph.saved_store()
        return whole if isinstance(self._store, Docgraph) else os.fspath(self._store)
