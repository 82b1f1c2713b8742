"""What is embedded tells where a passage stands, once."""

from docgraph.ingest.build_document import embedded_summary, embedded_text
from docgraph.model.document import Chunk
from docgraph.model.node import DocumentNode, Location

WHERE = Location("a", 1, 1, 0, 1)


def chunk(text: str, *headings: str) -> Chunk:
    return Chunk("n@0", "n", 0, headings, text, WHERE)


def test_title_and_headings_stand_in_front() -> None:
    found = embedded_text("Guide", chunk("Run it twice.", "Use", "Again"))
    assert found == "Guide > Use > Again\nRun it twice."


def test_what_a_passage_opens_with_is_not_said_twice() -> None:
    assert embedded_text("Guide", chunk("## Use\n\nRun.", "Use")) == "Guide\n## Use\n\nRun."
    assert embedded_text("Guide", chunk("# Guide\n\nRun.")) == "# Guide\n\nRun."


def test_a_later_passage_of_a_symbol_tells_the_signature() -> None:
    later = chunk("return total", "Sum", "add")
    signature = "def add(self, more)"
    assert (
        embedded_text("m", later, signature) == "m > Sum > add\ndef add(self, more)\nreturn total"
    )
    first = chunk("def add(self, more):\n    total = 1", "Sum", "add")
    assert embedded_text("m", first, signature) == "m > Sum\ndef add(self, more):\n    total = 1"


def test_a_part_is_embedded_with_its_documents_title() -> None:
    section = DocumentNode("d#s", "section", "Why", "Why. Because.", "d", WHERE)
    assert embedded_summary("Guide", section) == "Guide\nWhy. Because."
    method = DocumentNode("d::A.f", "method", "A.f", "def f(self)", "d::A", WHERE)
    assert embedded_summary("m", method) == "m > A.f\ndef f(self)"
    document = DocumentNode("d", "document", "Guide", "Guide. Lead.", None, WHERE)
    assert embedded_summary("Guide", document) == "Guide. Lead."
