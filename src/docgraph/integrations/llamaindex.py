"""A retriever for LlamaIndex: evidence as its nodes. Needs docgraph[llamaindex]."""

import asyncio

from docgraph.integrations.base import EvidenceItem, RetrieverOptions, missing, opened
from docgraph.interfaces.auth.principals import AskedAs
from docgraph.interfaces.python.docgraph import Docgraph, Steps, Store

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.callbacks.base import CallbackManager
    from llama_index.core.schema import (
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
except ImportError as error:
    raise missing("LlamaIndex", "llamaindex") from error


class DocgraphRetriever(BaseRetriever):
    """The context's evidence, in its order; `metadata` tells where each comes from, and why.

    `store` is a Docgraph, or what `docgraph.open` takes. Metadata are kept out of prompts and
    embeddings. A retriever asks for one reader; several may share one Docgraph.
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
        callback_manager: CallbackManager | None = None,
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._question = RetrieverOptions(
            opened(store), as_, pipeline, repository, branch, snapshot, max_tokens
        )

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(item) for item in self._question.ask(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """In a thread: the core waits for nobody's event loop."""
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(item: EvidenceItem) -> NodeWithScore:
    names = sorted(item.metadata)
    node = TextNode(
        id_=item.id,
        text=item.text,
        metadata=item.metadata,
        excluded_embed_metadata_keys=names,
        excluded_llm_metadata_keys=names,
        start_char_idx=item.start,
        end_char_idx=item.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=item.document)},
    )
    return NodeWithScore(node=node, score=item.score)
