"""A document as ingest hands it to the store."""

from docgraph.model.access import LOCAL_ONLY
from docgraph.model.document import Document
from docgraph.model.node import DOCUMENT, DocumentNode, Location
from tests.support.small_world import statements_of


def test_a_document_is_named_by_its_first_node() -> None:
    here = Location("a.md", 1, 1, 0, 1)
    own = DocumentNode("r:a.md", DOCUMENT, "A", "", None, here)
    part = DocumentNode("r:a.md#b", "section", "B", "", own.id, here)
    assert (
        Document("a.md", "x", (own, part), (), (), (), statements_of(LOCAL_ONLY), "f").id
        == "r:a.md"
    )
