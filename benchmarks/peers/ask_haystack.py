"""Haystack: its store in memory, by vectors and by BM25, joined by reciprocal rank."""

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore

from benchmarks.asked import Asked
from benchmarks.peers.given import TOP, Ask, Given


def ask_haystack(given: Given) -> Ask:
    # `shared` is of Haystack 3, which is what is measured.
    store = InMemoryDocumentStore(shared=False, return_embedding=False)  # type: ignore[call-arg]
    rows = zip(given.passages.texts, given.passages.vectors, strict=True)
    store.write_documents(
        [
            Document(id=str(place), content=text, embedding=vector.tolist())
            for place, (text, vector) in enumerate(rows)
        ]
    )
    both = Pipeline()
    both.add_component("meaning", InMemoryEmbeddingRetriever(store, top_k=TOP))
    both.add_component("words", InMemoryBM25Retriever(store, top_k=TOP))
    both.add_component("joined", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP))
    both.connect("meaning.documents", "joined.documents")
    both.connect("words.documents", "joined.documents")

    def ask(asked: Asked) -> list[str]:
        vector = given.vector(asked.text).tolist()
        found = both.run({"meaning": {"query_embedding": vector}, "words": {"query": asked.text}})
        return [one.content for one in found["joined"]["documents"]]

    return ask
