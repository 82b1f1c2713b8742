"""graph-retriever on LangChain's vector store in memory: nearest chunks, then pages they link to.

It offers no search by words.
"""

from graph_retriever.strategies import Eager
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_graph_retriever import GraphRetriever

from benchmarks.peers.peer_input import TOP, Ask, PeerInput


class CachedEmbeddings(Embeddings):
    """Only what the vector store asks of an embedder."""

    def __init__(self, given: PeerInput) -> None:
        self._given = given

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        found: list[float] = self._given.vector(text).tolist()
        return found


def ask_graph_retriever(given: PeerInput) -> Ask:
    store, links = InMemoryVectorStore(CachedEmbeddings(given)), given.links()
    rows = zip(given.chunks.texts, given.chunks.documents, strict=True)
    store.add_documents(
        [
            Document(
                id=str(position), page_content=text, metadata={"page": page, "to": links[page]}
            )
            for position, (text, page) in enumerate(rows)
        ]
    )
    found = GraphRetriever(
        store=store,
        edges=[("to", "page")],
        strategy=Eager(select_k=TOP, start_k=4, adjacent_k=TOP, max_depth=1),
    )
    return lambda asked: [one.page_content for one in found.invoke(asked.text)]
