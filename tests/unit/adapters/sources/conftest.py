"""A repository that a test may fill."""

from pathlib import Path

import pytest

from tests.support.made_repository import MadeRepository


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "work")
