"""The text to embed names title and headings of a chunk, once."""

from docgraph.ingest.build_document import chunk_text_to_embed, node_text_to_embed
from docgraph.model.document import Chunk
from docgraph.model.node import DocumentNode, Location

WHERE = Location("a", 1, 1, 0, 1)


def chunk(text: str, *headings: str) -> Chunk:
    return Chunk("n@0", "n", 0, headings, text, WHERE)


def test_title_and_headings_come_first() -> None:
    found = chunk_text_to_embed("Guide", chunk("Run it twice.", "Use", "Again"))
    assert found == "Guide > Use > Again\nRun it twice."


def test_what_a_chunk_begins_with_is_not_repeated() -> None:
    assert chunk_text_to_embed("Guide", chunk("## Use\n\nRun.", "Use")) == "Guide\n## Use\n\nRun."
    assert chunk_text_to_embed("Guide", chunk("# Guide\n\nRun.")) == "# Guide\n\nRun."


def test_a_later_chunk_of_a_symbol_has_the_signature() -> None:
    later = chunk("return total", "Sum", "add")
    signature = "def add(self, more)"
    assert (
        chunk_text_to_embed("m", later, signature)
        == "m > Sum > add\ndef add(self, more)\nreturn total"
    )
    first = chunk("def add(self, more):\n    total = 1", "Sum", "add")
    assert (
        chunk_text_to_embed("m", first, signature) == "m > Sum\ndef add(self, more):\n    total = 1"
    )


def test_a_part_is_embedded_with_its_documents_title() -> None:
    section = DocumentNode("d#s", "section", "Why", "Why. Because.", "d", WHERE)
    assert node_text_to_embed("Guide", section) == "Guide\nWhy. Because."
    method = DocumentNode("d::A.f", "method", "A.f", "def f(self)", "d::A", WHERE)
    assert node_text_to_embed("m", method) == "m > A.f\ndef f(self)"
    document = DocumentNode("d", "document", "Guide", "Guide. Lead.", None, WHERE)
    assert node_text_to_embed("Guide", document) == "Guide. Lead."
