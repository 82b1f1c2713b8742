"""Haystack: its store in memory, by vectors and by BM25, joined by reciprocal rank."""

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore

from benchmarks.peers.peer_input import TOP, Ask, PeerInput
from benchmarks.questions import BenchmarkQuestion


def ask_haystack(given: PeerInput) -> Ask:
    # `shared` is of Haystack 3, which is what is measured.
    store = InMemoryDocumentStore(shared=False, return_embedding=False)  # type: ignore[call-arg]
    rows = zip(given.chunks.texts, given.chunks.vectors, strict=True)
    store.write_documents(
        [
            Document(id=str(position), content=text, embedding=vector.tolist())
            for position, (text, vector) in enumerate(rows)
        ]
    )
    both = Pipeline()
    both.add_component("meaning", InMemoryEmbeddingRetriever(store, top_k=TOP))
    both.add_component("words", InMemoryBM25Retriever(store, top_k=TOP))
    both.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP))
    both.connect("meaning.documents", "joined.documents")
    both.connect("words.documents", "joined.documents")

    def ask(asked: BenchmarkQuestion) -> list[str]:
        vector = given.vector(asked.text).tolist()
        found = both.run({"meaning": {"query_embedding": vector}, "words": {"query": asked.text}})
        return [one.content for one in found["joined"]["documents"]]

    return ask
