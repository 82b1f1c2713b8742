"""An external index on the command line: filled, used, checked, rebuilt."""

from pathlib import Path

import pytest

from docgraph.model.errors import StoreError
from tests.acceptance.conftest import Run, data
from tests.integration.test_determinism import FILES, write_files

STORE = ("--store", "s.db")
QUESTION = "How does the engine burn fuel?"


@pytest.mark.requirement(42)
def test_an_external_index_is_rebuilt_and_gives_the_same_contexts(
    docgraph: Run, elsewhere: Path
) -> None:
    write_files(elsewhere / "rocket", sorted(FILES))
    docgraph("ingest", "rocket", *STORE)
    packed = docgraph("context", QUESTION, *STORE, "--json").stdout
    assert data(docgraph("verify", *STORE, "--json"))["sound"]
    (elsewhere / "docgraph.yaml").write_text("index: faiss\n", encoding="utf-8")
    refused = docgraph("context", QUESTION, *STORE)
    assert isinstance(refused.exception, StoreError)
    assert "docgraph reindex" in str(refused.exception)
    assert docgraph("verify", *STORE).exit_code == 1
    assert docgraph("reindex", *STORE).stdout.startswith("faiss: ")
    assert docgraph("context", QUESTION, *STORE, "--json").stdout == packed
    assert data(docgraph("verify", *STORE, "--json"))["sound"]
    assert data(docgraph("reindex", *STORE, "--json"))["rows"] > len(FILES)


def test_there_is_nothing_to_rebuild_in_an_index_of_the_store(
    docgraph: Run, elsewhere: Path
) -> None:
    write_files(elsewhere / "rocket", sorted(FILES))
    docgraph("ingest", "rocket", *STORE)
    refused = docgraph("reindex", *STORE)
    assert "needs no rebuilding" in str(refused.exception)
