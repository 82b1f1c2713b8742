"""People can add, list and remove their own relations; mined ones are distinguished."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput, NotVisible
from tests.acceptance.conftest import Run, data


@pytest.fixture
def store(docgraph: Run, elsewhere: Path) -> str:
    (elsewhere / "docs").mkdir()
    (elsewhere / "docs" / "old.md").write_text("# Old way\n\nUse the [manual](manual.md).\n")
    (elsewhere / "docs" / "manual.md").write_text("# Manual\n\nTurn it on.\n")
    (elsewhere / "docs" / "new.md").write_text("# New way\n\nIt turns itself on.\n")
    assert docgraph("ingest", "docs", "-r", "r", "--store", "s.db").exit_code == 0
    return "s.db"


def edges(docgraph: Run, store: str) -> dict[tuple[str, str, str], list[str]]:
    found = data(docgraph("relations", "list", "--store", store, "--json"))["relations"]
    return {
        (known["edge"]["source"], known["edge"]["relation"], known["edge"]["target"]): known[
            "origins"
        ]
        for known in found
    }


@pytest.mark.requirement(3)
@pytest.mark.requirement(5)
def test_a_lifecycle_relation_leads_from_the_old_document_to_the_new_one(
    docgraph: Run, store: str
) -> None:
    added = docgraph("relations", "add", "r:new.md", "supersedes", "r:old.md", "--store", store)
    assert added.exit_code == 0
    known = edges(docgraph, store)
    assert known["r:new.md", "supersedes", "r:old.md"] == ["manual"]
    assert known["r:old.md", "superseded_by", "r:new.md"] == ["manual"]
    assert known["r:old.md", "references", "r:manual.md"] == ["identifiers", "links"]
    plan = data(docgraph("plan", "--seed", "r:old.md", "--store", store, "--json"))["plan"]
    assert ("superseded_by", "r:new.md") in [
        (found["via"], found["document_id"]) for found in plan["expanded_documents"]
    ]


@pytest.mark.requirement(3)
def test_what_was_added_set_manually_can_be_removed_and_what_was_mined_cannot(
    docgraph: Run, store: str
) -> None:
    docgraph("relations", "add", "r:new.md", "supersedes", "r:old.md", "--store", store)
    removed = docgraph("relations", "rm", "r:new.md", "supersedes", "r:old.md", "--store", store)
    assert removed.exit_code == 0
    assert list(edges(docgraph, store)) == [("r:old.md", "references", "r:manual.md")]
    mined = docgraph("relations", "rm", "r:old.md", "references", "r:manual.md", "--store", store)
    assert isinstance(mined.exception, BadInput)


@pytest.mark.requirement(3)
def test_a_relation_set_manually_survives_a_new_ingest(docgraph: Run, store: str) -> None:
    docgraph("relations", "add", "r:new.md", "explains", "r:old.md", "--store", store)
    Path("docs/manual.md").write_text("# Manual\n\nTurn it off.\n")
    docgraph("ingest", "docs", "-r", "r", "--store", store)
    assert ("r:new.md", "explains", "r:old.md") in edges(docgraph, store)


@pytest.mark.requirement(4)
def test_a_relation_to_nothing_is_refused(docgraph: Run, store: str) -> None:
    result = docgraph("relations", "add", "r:new.md", "explains", "r:gone.md", "--store", store)
    assert isinstance(result.exception, NotVisible)
    assert "r:gone.md" in str(result.exception)


def test_an_unknown_relation_is_refused_with_those_there_are(docgraph: Run, store: str) -> None:
    result = docgraph("relations", "add", "r:new.md", "likes", "r:old.md", "--store", store)
    assert isinstance(result.exception, BadInput)
    assert "supersedes" in str(result.exception)
