"""Evidence as a value."""

from dataclasses import replace

from docgraph.model.evidence import Decision, RetrievedContext

EMPTY = RetrievedContext("why?", (), (), "")


def test_evidence_has_a_digest_that_covers_its_decisions() -> None:
    assert EMPTY.digest == replace(EMPTY).digest
    assert EMPTY.digest != replace(EMPTY, decisions=(Decision("r:a", True, "fits"),)).digest
