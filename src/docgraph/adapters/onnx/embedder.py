"""Embeds with any text model in an ONNX folder that is laid out as by sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.adapters.onnx.session import (
    ModelSession,
    Session,
    Tokens,
    identity_part,
    open_folder_session,
)
from docgraph.adapters.onnx.text_runner import TextRunner
from docgraph.adapters.onnx.tokenizer import load_tokenizer, tokens
from docgraph.model.digest import digest
from docgraph.model.errors import ModelError
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.ports.models import CPU_ALONE

Floats = npt.NDArray[np.floating]
Pooling = Literal["cls", "mean"]

WHOLE_TEXT = "sentence_embedding"
EACH_TOKEN = ("last_hidden_state", "token_embeddings")


class OnnxModel:
    """Gives one vector for the tokens of each text. `weights` are read in place, so they are
    referenced here."""

    def __init__(
        self,
        name: str,
        session: Session,
        *,
        pooling: Pooling = "cls",
        first_position: int = 0,
        weights: object = None,
    ) -> None:
        self._name = name
        self._pooling = pooling
        self._session = ModelSession(name, session, first_position=first_position, weights=weights)
        self._output = _select_output(name, self._session.outputs)

    def vectors(self, rows: Tokens) -> Floats:
        """One row for each text; the texts have equally many tokens."""
        result: Floats = self._session.run(self._output, rows)
        each_token = self._output != WHOLE_TEXT
        shape = (len(rows), len(rows[0])) if each_token else (len(rows),)
        if result.shape[:-1] != shape:
            raise ModelError(
                f"{self._name}: {self._output} has shape {result.shape}, not {shape} + width"
            )
        return self._pool(result) if each_token else result

    def _pool(self, states: Floats) -> Floats:
        if self._pooling == "cls":
            first: Floats = states[:, 0]
            return first
        mean: Floats = np.mean(states, axis=1, dtype=np.float64)
        return mean


def needs_pooling(session: Session) -> bool:
    """Whether the graph gives vectors of tokens only."""
    return all(port.name != WHOLE_TEXT for port in session.get_outputs())


def _select_output(name: str, outputs: Sequence[str]) -> str:
    for supported in (WHOLE_TEXT, *EACH_TOKEN):
        if supported in outputs:
            return supported
    known = ", ".join((WHOLE_TEXT, *EACH_TOKEN))
    raise ModelError(f"{name}: the model gives {', '.join(outputs)}; one of {known} would fit")


# What a model folder sets: its pooling, first position and maximal length.

POOLING = "1_Pooling/config.json"
POOLINGS: dict[str, Pooling] = {"cls_token": "cls", "mean_tokens": "mean"}
PLAIN_MODULES = ("Transformer", "Pooling", "Normalize")
AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")  # whose positions start there
MAX_LENGTH = 512


def pooling(folder: ModelFolder) -> Pooling:
    """Mean where the folder sets nothing, as in sentence-transformers."""
    _refuse_further_modules(folder)
    settings = folder.settings(POOLING)
    prefix = "pooling_mode_"
    modes = [key.removeprefix(prefix) for key, on in settings.items() if on and prefix in key]
    if not modes:
        return "mean"
    if len(modes) > 1 or modes[0] not in POOLINGS:
        known = " or ".join(POOLINGS)
        raise ModelError(f"{folder.path / POOLING}: {' with '.join(modes)}; {known} would fit")
    return POOLINGS[modes[0]]


def first_position(folder: ModelFolder) -> int:
    config = folder.settings("config.json")
    padding = config.get("pad_token_id")
    if config.get("model_type") in AFTER_PADDING:
        return padding + 1 if isinstance(padding, int) else 2
    return 0


def max_length(folder: ModelFolder) -> int:
    """The smallest of what the folder's files allow, special tokens included."""
    limits = (
        ("sentence_bert_config.json", "max_seq_length", 0),
        ("tokenizer_config.json", "model_max_length", 0),
        ("config.json", "max_position_embeddings", first_position(folder)),
    )
    values = ((folder.settings(file).get(key), less) for file, key, less in limits)
    lengths = [length - less for length, less in values if isinstance(length, int)]
    return max(1, min(lengths, default=MAX_LENGTH))


def _refuse_further_modules(folder: ModelFolder) -> None:
    """Layers after pooling are not in the graph; ignoring them would give other vectors."""
    for module in folder.array("modules.json"):
        kind = str(module.get("type")) if isinstance(module, dict) else str(module)
        if kind.rpartition(".")[2] not in PLAIN_MODULES:
            known = ", ".join(PLAIN_MODULES)
            raise ModelError(f"{folder.path}: has a module {kind}; {known} would fit")


class OnnxEmbedder:
    """Its identity is its folder's name, the digest of every file that it read, and its device.

    Texts run one by one: not every model gives a text the same vector in every batch.
    """

    def __init__(
        self,
        path: Path,
        cores: int | None = None,
        providers: Sequence[str] = CPU_ALONE,
    ) -> None:
        folder = ModelFolder(path)
        model = _open_model(folder, providers)
        width = model.vectors([[0]]).shape[1]
        text = folder.read("tokenizer.json").decode("utf-8", "replace")
        tokenizer, longest = load_tokenizer(folder.name, text), max_length(folder)
        self.runner = TextRunner(
            folder.name, partial(tokens, tokenizer), model, width, longest, cores=cores
        )
        device = identity_part(providers)
        whole = digest({"folder": folder.digest} | device) if device else folder.digest
        self._identity = EmbedderIdentity(folder.name, whole, width)

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return self.runner.embed(texts)


def _open_model(folder: ModelFolder, providers: Sequence[str]) -> OnnxModel:
    session = open_folder_session(folder, providers)
    pooled = pooling(folder) if needs_pooling(session) else "cls"
    return OnnxModel(folder.name, session, pooling=pooled, first_position=first_position(folder))
