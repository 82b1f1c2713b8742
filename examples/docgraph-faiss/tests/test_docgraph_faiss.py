"""The FAISS index keeps the rules of every external vector index."""

from pathlib import Path

import pytest
from docgraph_faiss import FaissIndex

from docgraph.testing.vector_indexes import OpenIndex, VectorIndexRules


class TestFaiss(VectorIndexRules):
    @pytest.fixture
    def open_index(self, tmp_path: Path) -> OpenIndex:
        return lambda: FaissIndex(tmp_path / "index")
