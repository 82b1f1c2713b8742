"""LlamaIndex: its vector index in memory and its BM25 retriever, fused by reciprocal rank."""

from llama_index.core import MockEmbedding, QueryBundle, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from benchmarks.cheap_engine import DIMENSIONS
from benchmarks.peers.peer_input import TOP, Ask, PeerInput
from benchmarks.questions import BenchmarkQuestion


def ask_llama_index(given: PeerInput) -> Ask:
    rows = zip(given.chunks.texts, given.chunks.vectors, strict=True)
    nodes = [
        TextNode(id_=str(position), text=text, embedding=vector.tolist())
        for position, (text, vector) in enumerate(rows)
    ]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(DIMENSIONS))
    both = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=TOP),
            BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=TOP),
        ],
        llm=MockLLM(),
        mode=FUSION_MODES.RECIPROCAL_RANK,
        similarity_top_k=TOP,
        num_queries=1,  # no question of its own making
        use_async=False,
    )

    def ask(asked: BenchmarkQuestion) -> list[str]:
        bundle = QueryBundle(asked.text, embedding=given.vector(asked.text).tolist())
        return [one.text for one in both.retrieve(bundle)]

    return ask
