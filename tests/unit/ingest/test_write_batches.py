"""Documents are counts in short batches."""

from docgraph.ingest.build_document import build_document
from docgraph.ingest.run import BATCH_CHUNKS, BATCH_FILES, split_batches, write_documents
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.writes import BuiltDocument
from tests.support.small_world import statements_of
from tests.unit.ingest.fakes import HashEmbedder, parsed
from tests.unit.ingest.memory_writer import MemoryWriter


def built(path: str, words: int = 1) -> BuiltDocument:
    return build_document(
        "r", path, parsed(path, "word\n\n" * words), statements_of(LOCAL_ONLY), "m", 10
    )


def test_a_batch_ends_with_its_files_or_its_chunks() -> None:
    small = [built(f"{n}.txt") for n in range(BATCH_FILES + 1)]
    assert [len(batch) for batch in split_batches(small)] == [BATCH_FILES, 1]
    large = built("a.txt", 2 * BATCH_CHUNKS)
    assert len(large.chunk_texts) >= BATCH_CHUNKS
    assert [len(batch) for batch in split_batches([large, large])] == [1, 1]


def test_files_with_nothing_to_write_fill_batches_too() -> None:
    writes = MemoryWriter()
    done = [None] * BATCH_FILES + [built("a.txt")]
    counts = write_documents(done, writes.documents, writes.embeddings, HashEmbedder())
    assert writes.documents.batches == [1]
    assert (counts.nodes, counts.chunks, counts.vectors) == (1, 1, 1)
