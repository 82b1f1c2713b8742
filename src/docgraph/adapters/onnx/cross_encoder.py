"""Reranks with any cross-encoder in an ONNX folder laid out as by sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from docgraph.adapters.onnx.embedder import OnnxEmbedder, first_position, max_length
from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.adapters.onnx.session import ModelSession, open_folder_session
from docgraph.adapters.onnx.text_runner import parallel_map
from docgraph.adapters.onnx.tokenizer import load_tokenizer, pair_tokens
from docgraph.model.errors import BadInput, ModelError
from docgraph.ports.models import ModelProvider, ModelSettings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from docgraph.model.access import Clearance

OUTPUT = "logits"
DIGITS = 5  # later digits differ between machines; equal scores keep the order of search


class OnnxCrossEncoder:
    """Reads its folder with the first question that reranks: most do not.

    Every pair is run alone and without padding, so that no score depends on other pairs.
    """

    def __init__(self, path: Path, cores: int | None = None) -> None:
        self._folder = ModelFolder(path)
        self._cores = cores
        self._reader: PairReader | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self._folder.name

    @property
    def clearance(self) -> Clearance | None:
        return None

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        return parallel_map(partial(self._open().score, question), texts, self._cores)

    def _open(self) -> PairReader:
        with self._lock:
            if self._reader is None:
                self._reader = _open_reader(self._folder)
            return self._reader


class PairReader:
    """`longest` is how many tokens of a pair the model reads, special ones included."""

    def __init__(
        self, name: str, session: ModelSession, tokenizer: Tokenizer, longest: int
    ) -> None:
        self._name = name
        self._session = session
        self._tokenizer = tokenizer
        self._longest = longest

    def score(self, question: str, text: str) -> float:
        """A model of two classes, not relevant and relevant, scores by their difference."""
        tokens, segments = pair_tokens(self._tokenizer, question, text, self._longest)
        result = self._session.run(OUTPUT, [tokens], [segments])
        if result.shape not in ((1, 1), (1, 2)):
            raise ModelError(
                f"{self._name}: {OUTPUT} has shape {result.shape}; (1, 1), a score, or (1, 2), "
                "the classes not relevant and relevant, would fit"
            )
        first, *further = result[0].astype(np.float64).tolist()
        score: float = further[0] - first if further else first
        if not np.isfinite(score):
            raise ModelError(f"{self._name}: a score is not a finite number")
        return round(score, DIGITS)


def _open_reader(folder: ModelFolder) -> PairReader:
    session = ModelSession(
        folder.name, open_folder_session(folder), first_position=first_position(folder)
    )
    if OUTPUT not in session.outputs:
        raise ModelError(
            f"{folder.name}: the model gives {', '.join(session.outputs)}; a cross-encoder that is "
            f"exported for text classification gives {OUTPUT} and would fit"
        )
    text = folder.read("tokenizer.json").decode("utf-8", "replace")
    tokenizer, longest = load_tokenizer(folder.name, text), max_length(folder)
    special = tokenizer.num_special_tokens_to_add(True)
    if not special:
        raise ModelError(
            f"{folder.path / 'tokenizer.json'}: sets no token between a question and a text; "
            "one whose post-processor joins pairs would fit"
        )
    if longest < special + 2:
        raise ModelError(
            f"{folder.path}: the model reads {longest} tokens; a question and a text need "
            f"{special + 2}, with {special} that the tokenizer sets around them"
        )
    return PairReader(folder.name, session, tokenizer, longest)


# Models in a folder, for both kinds.


def _open_embedder(settings: ModelSettings) -> OnnxEmbedder:
    return OnnxEmbedder(_folder_of(settings), providers=settings.execution_providers)


def _open_reranker(settings: ModelSettings) -> OnnxCrossEncoder:
    return OnnxCrossEncoder(_folder_of(settings))


def _folder_of(settings: ModelSettings) -> Path:
    if not settings.folder:
        raise BadInput("an ONNX model needs its folder: write `folder: …`, and no provider")
    return Path(settings.folder)


ONNX = ModelProvider("onnx", embedder=_open_embedder, reranker=_open_reranker)
