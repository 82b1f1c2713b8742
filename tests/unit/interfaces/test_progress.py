"""How fast an ingest goes, in words."""

import pytest

from docgraph.ingest.result import Progress
from docgraph.interfaces.cli.progress import rates


@pytest.mark.requirement(11)
def test_files_chunks_and_embeddings_are_reported_per_second() -> None:
    now = Progress("documents", done=10, total=20, chunks=50, vectors=30)
    assert rates(now, 2.0) == "5 files/s, 25 chunks/s, 15 embeddings/s"


def test_before_there_is_anything_to_tell_nothing_is_reported() -> None:
    assert rates(Progress("documents", 10, 20), 2.0) == ""
    assert rates(Progress("documents", 10, 20, chunks=50), 0.0) == ""
