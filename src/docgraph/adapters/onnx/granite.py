"""The default embedder: granite-embedding-30m-english, offline from an installed package."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from docgraph.adapters.onnx import granite_graph, granite_pack
from docgraph.adapters.onnx.granite_tokenizer import granite_tokenizer
from docgraph.adapters.onnx.model import OnnxModel
from docgraph.adapters.onnx.session import open_session
from docgraph.adapters.onnx.text_runner import TextRunner
from docgraph.model.digest import digest
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector

if TYPE_CHECKING:
    from tokenizers import Tokenizer

IDENTITY = EmbedderIdentity(
    name=granite_pack.NAME,
    digest=digest({"pack": granite_pack.SHA256, "graph": granite_graph.VERSION}),
    dimensions=384,
)


class GraniteEmbedder:
    """Finds its file at once, reads and checks it at the first text."""

    def __init__(self, pack: Path | None = None) -> None:
        self._pack = pack or granite_pack.find_pack()
        self._runner: TextRunner | None = None
        self._lock = Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        return IDENTITY

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return self.runner().embed(texts)

    def tokenizer(self) -> "Tokenizer":
        """Of all granite embedders here; it takes a while to parse, and so does the model."""
        return granite_tokenizer(self._pack)

    def runner(self) -> TextRunner:
        with self._lock:
            if self._runner is None:
                self._runner = open_granite(self._pack)
            return self._runner


def open_granite(path: Path, cores: int | None = None) -> TextRunner:
    pack = granite_pack.read_pack(path)
    graph = granite_graph.GraniteGraph(pack)
    session = open_session(granite_pack.NAME, graph.model, weights=graph.weights)
    model = OnnxModel(
        granite_pack.NAME, session, first_position=pack.first_position, kept=graph.weights
    )
    tokenizer = granite_tokenizer(path)
    return TextRunner(
        granite_pack.NAME, tokenizer, model, IDENTITY.dimensions, pack.max_length, cores
    )
