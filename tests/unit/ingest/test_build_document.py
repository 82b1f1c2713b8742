"""A parsed file becomes nodes, chunks, references and definitions with stable ids."""

from dataclasses import replace

import pytest

from docgraph.ingest.build_document import build_document, make_fingerprint
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.source import SourceFile
from tests.support.small_world import statements_of
from tests.unit.ingest.fakes import parsed

MARKDOWN = "# T\n\nLead.\n\n## A\n\n### B\n\ntext\n\n## A\n"
PYTHON = "def f():\n    def g(): ...\n\nclass C:\n    def f(self): ...\n\ndef f(): ...\n"


@pytest.mark.requirement(1)
def test_a_document_its_sections_and_symbols_are_nodes_with_parents() -> None:
    document = build_document(
        "r", "a.md", parsed("a.md", MARKDOWN), statements_of(LOCAL_ONLY), "m"
    ).document
    assert [(n.id, n.kind, n.title, n.parent) for n in document.nodes] == [
        ("r:a.md", "document", "T", None),
        ("r:a.md#a", "section", "A", "r:a.md"),
        ("r:a.md#b", "section", "B", "r:a.md#a"),
        ("r:a.md#a-1", "section", "A", "r:a.md"),
    ]
    code = build_document(
        "r", "a.py", parsed("a.py", PYTHON), statements_of(LOCAL_ONLY), "m"
    ).document
    assert [(n.id, n.kind, n.title, n.parent) for n in code.nodes] == [
        ("r:a.py", "code", "a", None),
        ("r:a.py::f", "function", "f", "r:a.py"),
        ("r:a.py::f.g", "function", "f.g", "r:a.py::f"),
        ("r:a.py::C", "class", "C", "r:a.py"),
        ("r:a.py::C.f", "method", "C.f", "r:a.py::C"),
        ("r:a.py::f~2", "function", "f", "r:a.py"),
    ]


@pytest.mark.requirement(1)
def test_a_nodes_location_can_be_opened() -> None:
    document = build_document(
        "r", "a.md", parsed("a.md", MARKDOWN), statements_of(LOCAL_ONLY), "m"
    ).document
    assert [node.source.cite() for node in document.nodes] == [
        "a.md:1-11",
        "a.md:5-9",
        "a.md:7-9",
        "a.md:11",
    ]
    location = document.nodes[1].source
    assert document.text[location.start : location.end] == "## A\n\n### B\n\ntext"


def test_there_is_a_text_to_embed_for_every_chunk_and_node() -> None:
    made = build_document("r", "a.md", parsed("a.md", MARKDOWN), statements_of(LOCAL_ONLY), "m")
    assert len(made.chunk_texts) == len(made.document.chunks)
    assert len(made.node_texts) == len(made.document.nodes)


def test_a_document_carries_its_halves_of_edges() -> None:
    text = "---\nsupersedes: b.md\n---\n# Some Title\n\n[x](c.md), ADR-1, Marie Curie and `run`\n"
    document = build_document(
        "r", "a.md", parsed("a.md", text), statements_of(LOCAL_ONLY), "m"
    ).document
    keys = {definition.key for definition in document.definitions}
    assert {"path:a.md", "path:a", "doc:a.md", "title:Some Title"} <= keys
    mined = {(one.miner, one.relation, one.target.key) for one in document.references}
    assert {
        ("headers", "supersedes", "path:b.md"),
        ("links", "references", "path:c.md"),
        ("identifiers", "references", "doc:adr1"),
        ("documents", "documents", "code:run"),
        ("names", "shares_entity", "entity:Marie Curie"),
    } <= mined
    ids = {node.id for node in document.nodes}
    assert {document.id + one.suffix for one in document.references} <= ids
    assert {document.id + one.suffix for one in document.definitions} <= ids


def test_lines_of_references_are_those_of_the_file_that_the_text_was_made_of() -> None:
    made = replace(
        parsed("a.md", "one\nADR-1\n"),
        source_lines=((0, 10), (4, 20)),
        prose=None,
        unresolved_calls=3,
    )
    document = build_document("r", "a.md", made, statements_of(LOCAL_ONLY), "m").document
    assert [one.line for one in document.references if one.target.key == "doc:adr1"] == [20]
    assert (document.source_lines, document.unresolved_calls) == (((0, 10), (4, 20)), 3)


def test_an_empty_file_is_a_node_without_chunks() -> None:
    document = build_document(
        "r", "p/__init__.py", parsed("p/__init__.py", ""), statements_of(LOCAL_ONLY), "m"
    ).document
    assert [node.title for node in document.nodes] == ["p"]
    assert document.chunks == ()


def test_a_fingerprint_changes_with_everything_that_makes_the_document() -> None:
    file = SourceFile("a", 1, "T")
    fingerprints = {
        make_fingerprint(file, "digest", "text"),
        make_fingerprint(SourceFile("b", 1, "T"), "digest", "text"),
        make_fingerprint(SourceFile("a", 1, "U"), "digest", "text"),
        make_fingerprint(file, "other", "text"),
        make_fingerprint(file, "digest", "rst"),
        make_fingerprint(file, "digest", "text", 400),
    }
    assert len(fingerprints) == 6
    assert make_fingerprint(SourceFile("a", 9, "T"), "digest", "text") in fingerprints
