"""A retriever for LlamaIndex: evidence as its nodes. Needs docgraph[llamaindex]."""

import asyncio
from typing import Unpack

from docgraph.integrations.base import EvidenceItem, RetrieverOptions, missing_extra, open_docgraph
from docgraph.interfaces.python.docgraph import Docgraph
from docgraph.interfaces.python.open_store import Store
from docgraph.interfaces.python.options import QuestionOptions

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
    raise missing_extra("LlamaIndex", "llamaindex") from error


class DocgraphRetriever(BaseRetriever):
    """The context's evidence, in its order; `metadata` tells where each comes from, and why.

    `store` is a Docgraph, or what `docgraph.open` takes. Metadata are kept out of prompts and
    embeddings. A retriever asks for one reader; several may share one Docgraph.
    """

    def __init__(
        self,
        store: Docgraph | Store | None = None,
        *,
        callback_manager: CallbackManager | None = None,
        **options: Unpack[QuestionOptions],
    ) -> None:
        super().__init__(callback_manager=callback_manager)
        self._retriever = RetrieverOptions(open_docgraph(store), options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(item) for item in self._retriever.retrieve(query_bundle.query_str)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """In a thread: docgraph's calls are synchronous."""
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
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=item.document_id)},
    )
    return NodeWithScore(node=node, score=item.score)
