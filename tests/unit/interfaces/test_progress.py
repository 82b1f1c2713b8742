"""How fast an ingest goes, in words."""

import pytest

from docgraph.ingest.progress import Progress
from docgraph.interfaces.cli.progress import rates


@pytest.mark.requirement(11)
def test_files_and_chunks_are_reported_per_second() -> None:
    now = Progress("reading", done=10, total=20, chunks=50)
    assert rates(now, 2.0) == "5 done/s, 25 chunks/s"


def test_before_there_is_anything_to_tell_nothing_is_reported() -> None:
    assert rates(Progress("reading", 10, 20), 2.0) == ""
    assert rates(Progress("reading", 10, 20, chunks=50), 0.0) == ""
