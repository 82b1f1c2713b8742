"""Embeds with any text model kept as an ONNX folder, laid out as sentence-transformers does."""

from collections.abc import Sequence
from pathlib import Path

from docgraph.adapters.onnx.folder_session import open_folder_session
from docgraph.adapters.onnx.model import OnnxModel, leaves_pooling
from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.adapters.onnx.model_settings import first_position, max_length, pooling
from docgraph.adapters.onnx.text_runner import TextRunner
from docgraph.adapters.onnx.tokenizer import load_tokenizer
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector


class OnnxEmbedder:
    """Its identity is its folder's name and the digest of every file that it read."""

    def __init__(self, path: Path, cores: int | None = None) -> None:
        folder = ModelFolder(path)
        model = _open_model(folder)
        width = len(model.vector([0]))
        text = folder.read("tokenizer.json").decode("utf-8", "replace")
        tokenizer, longest = load_tokenizer(folder.name, text), max_length(folder)
        self.runner = TextRunner(folder.name, tokenizer, model, width, longest, cores)
        self._identity = EmbedderIdentity(folder.name, folder.digest, width)

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return self.runner.embed(texts)


def _open_model(folder: ModelFolder) -> OnnxModel:
    session = open_folder_session(folder)
    pooled = pooling(folder) if leaves_pooling(session) else "cls"
    return OnnxModel(folder.name, session, pooling=pooled, first_position=first_position(folder))
