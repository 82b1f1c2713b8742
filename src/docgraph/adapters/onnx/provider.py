"""Models that run in this process: the one that is shipped, and those in a folder of ONNX files."""

from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.model.errors import BadInput
from docgraph.ports.models import ModelProvider, ModelSettings

if TYPE_CHECKING:
    from docgraph.adapters.onnx.cross_encoder import OnnxCrossEncoder
    from docgraph.adapters.onnx.embedder import OnnxEmbedder
    from docgraph.adapters.onnx.granite import GraniteEmbedder


def _granite(_: ModelSettings) -> "GraniteEmbedder":
    from docgraph.adapters.onnx.granite import GraniteEmbedder

    return GraniteEmbedder()


def _embedder(settings: ModelSettings) -> "OnnxEmbedder":
    from docgraph.adapters.onnx.embedder import OnnxEmbedder

    return OnnxEmbedder(_folder(settings))


def _reranker(settings: ModelSettings) -> "OnnxCrossEncoder":
    from docgraph.adapters.onnx.cross_encoder import OnnxCrossEncoder

    return OnnxCrossEncoder(_folder(settings))


def _folder(settings: ModelSettings) -> Path:
    if not settings.folder:
        raise BadInput("an ONNX model needs its folder: write `folder: …`, and no provider")
    return Path(settings.folder)


GRANITE = ModelProvider("granite", embedder=_granite)
ONNX = ModelProvider("onnx", embedder=_embedder, reranker=_reranker)
