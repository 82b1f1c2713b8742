"""How a context reads."""

from dataclasses import replace

from docgraph.assemble.render import concept_block, evidence_block, render
from docgraph.model.evidence import Concept, EvidenceChunk, NodeEvidence
from docgraph.model.node import Location

HERE = Location("guide/a:b.md", 3, 7, 0, 40)
CONCEPT = Concept(
    "docs:guide/a%3Ab.md", "document", "A guide", "What it is.",
    HERE, "readable by everyone", frozenset(), 0,
)  # fmt: skip


def chunk(text: str, *path: str) -> EvidenceChunk:
    return EvidenceChunk("docs:guide/a%3Ab.md@0", CONCEPT.id, path, text, HERE, 1)


def block(text: str, *path: str) -> str:
    return evidence_block(
        NodeEvidence(CONCEPT.id, CONCEPT, "seed 1 of 1", (), 0), chunk(text, *path)
    )


def test_a_concept_is_rendered_as_title_summary_and_location() -> None:
    assert concept_block(CONCEPT) == "- A guide: What it is. (docs:guide/a:b.md)\n"


def test_a_title_at_the_start_of_the_summary_is_not_repeated() -> None:
    extracted = replace(CONCEPT, summary="A guide. What it is. Sections: First; Second.")
    assert concept_block(extracted) == (
        "- A guide. What it is. Sections: First; Second. (docs:guide/a:b.md)\n"
    )


def test_evidence_is_rendered_as_path_location_and_text() -> None:
    assert block("Some text.", "First") == (
        "A guide > First (docs:guide/a:b.md:3-7)\nSome text.\n\n"
    )


def test_the_first_line_of_code_keeps_its_indent() -> None:
    message = block("\r\n\n    def f():\n        return 1\n   \n")
    assert message.partition("\n")[2] == "    def f():\n        return 1\n\n"


def test_evidence_is_numbered_from_one() -> None:
    assert render(["- c\n"], ["one\n\n", "two\n\n"]) == (
        "## Documents\n\n- c\n\n## Evidence\n\n[1] one\n\n[2] two\n"
    )


def test_a_layer_without_anything_has_no_heading() -> None:
    assert render([], ["one\n\n"]) == "## Evidence\n\n[1] one\n"
    assert render(["- c\n"], []) == "## Documents\n\n- c\n"


def test_nothing_renders_as_nothing() -> None:
    assert render([], []) == ""
