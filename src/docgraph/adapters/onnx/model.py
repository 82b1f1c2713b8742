"""One text's tokens in, one vector out: what an ONNX text model asks for and gives."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from docgraph.adapters.onnx.graph import Array
from docgraph.adapters.onnx.session import Port, Session
from docgraph.model.errors import ModelError

Floats = npt.NDArray[np.floating]
Pooling = Literal["cls", "mean"]

WHOLE_TEXT = "sentence_embedding"
EACH_TOKEN = ("last_hidden_state", "token_embeddings")
INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
TYPES: dict[str, type[np.signedinteger]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class OnnxModel:
    """`kept` holds what the session reads in place."""

    def __init__(
        self,
        name: str,
        session: Session,
        *,
        pooling: Pooling = "cls",
        first_position: int = 0,
        kept: object = None,
    ) -> None:
        self._name = name
        self._session = session
        self._pooling = pooling
        self._first_position = first_position
        self._kept = kept
        self._inputs = tuple(_known(name, port) for port in session.get_inputs())
        self._output = _chosen(name, [port.name for port in session.get_outputs()])

    def vector(self, tokens: Sequence[int]) -> Floats:
        feeds = {name: self._feed(name, tokens).astype(kind)[None] for name, kind in self._inputs}
        try:
            (answer,) = self._session.run([self._output], feeds)
        except Exception as error:  # onnxruntime's errors share no narrower class
            raise ModelError(f"{self._name}: onnxruntime cannot run it: {error}") from error
        each_token = self._output != WHOLE_TEXT
        wanted = (1, len(tokens)) if each_token else (1,)
        if answer.shape[:-1] != wanted:
            raise ModelError(
                f"{self._name}: {self._output} has shape {answer.shape}, not {wanted} + width"
            )
        row: Floats = answer[0]
        return self._pooled(row) if each_token else row

    def _feed(self, name: str, tokens: Sequence[int]) -> Array:
        match name:
            case "input_ids":
                return np.array(tokens)
            case "attention_mask":
                return np.ones(len(tokens))
            case "position_ids":
                return np.arange(self._first_position, self._first_position + len(tokens))
            case _:
                return np.zeros(len(tokens))

    def _pooled(self, states: Floats) -> Floats:
        if self._pooling == "cls":
            first: Floats = states[0]
            return first
        mean: Floats = np.mean(states, axis=0, dtype=np.float64)
        return mean


def leaves_pooling(session: Session) -> bool:
    """Whether the graph gives vectors of tokens only."""
    return all(port.name != WHOLE_TEXT for port in session.get_outputs())


def _known(name: str, port: Port) -> tuple[str, type[np.signedinteger]]:
    if port.name not in INPUTS or port.type not in TYPES:
        raise ModelError(
            f"{name}: the model asks for {port.name} of {port.type}; "
            f"known are {', '.join(INPUTS)} of {' or '.join(TYPES)}"
        )
    return port.name, TYPES[port.type]


def _chosen(name: str, outputs: list[str]) -> str:
    for wanted in (WHOLE_TEXT, *EACH_TOKEN):
        if wanted in outputs:
            return wanted
    known = ", ".join((WHOLE_TEXT, *EACH_TOKEN))
    raise ModelError(f"{name}: the model gives {', '.join(outputs)}; one of {known} would fit")
