"""Each distinct text is embedded once, and a node's vector joins what is inside it."""

import numpy as np

from docgraph.ingest.build import Built, build
from docgraph.ingest.embed import embed, node_vectors
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.vector import joined
from docgraph.ports.writes import text_key
from tests.unit.ingest.fakes import HashEmbedder, MemoryWrites, parsed

TEXT = "# T\n\nLead.\n\n## A\n\nFirst.\n\n### B\n\nDeep.\n"


def built(path: str, text: str = TEXT) -> Built:
    return build("r", path, parsed(path, text), LOCAL_ONLY, "m")


def test_a_text_is_embedded_once_and_remembered() -> None:
    writes, embedder = MemoryWrites(), HashEmbedder()
    found = embed([built("a.md"), built("b.md")], writes, embedder)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == found.computed
    again = embed([built("c.md")], writes, embedder)
    assert again.computed == 0


def test_a_nodes_vector_joins_its_summary_with_every_chunk_inside_it() -> None:
    made, embedder = built("a.md"), HashEmbedder()
    texts = (*made.chunk_texts, *made.node_texts)
    vectors = {text_key(t): v for t, v in zip(texts, embedder.embed(texts), strict=True)}
    chunks = [vectors[text_key(text)] for text in made.chunk_texts]
    own = [vectors[text_key(text)] for text in made.node_texts]
    found = node_vectors(made, vectors)
    for node, inside in enumerate((chunks, chunks[1:], chunks[2:])):
        assert np.array_equal(found[node], joined(own[node], inside))


def test_a_node_without_chunks_has_its_summarys_vector() -> None:
    writes, embedder = MemoryWrites(), HashEmbedder()
    (document,) = embed([built("p/__init__.py", "")], writes, embedder).documents
    assert np.array_equal(document.node_vectors[0], joined(embedder.embed(["p"])[0], ()))


def test_nothing_to_embed_asks_nobody() -> None:
    embedder = HashEmbedder()
    assert embed([], MemoryWrites(), embedder).documents == ()
    assert embedder.embedded == []
