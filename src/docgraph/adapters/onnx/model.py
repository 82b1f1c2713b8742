"""One text's tokens in, one vector out: what an ONNX text model gives."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from docgraph.adapters.onnx.fed_session import FedSession
from docgraph.adapters.onnx.session import Session
from docgraph.model.errors import ModelError

Floats = npt.NDArray[np.floating]
Pooling = Literal["cls", "mean"]

WHOLE_TEXT = "sentence_embedding"
EACH_TOKEN = ("last_hidden_state", "token_embeddings")


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
        self._pooling = pooling
        self._session = FedSession(name, session, first_position=first_position, kept=kept)
        self._output = _chosen(name, self._session.outputs)

    def vector(self, tokens: Sequence[int]) -> Floats:
        answer = self._session.run(self._output, tokens)
        each_token = self._output != WHOLE_TEXT
        wanted = (1, len(tokens)) if each_token else (1,)
        if answer.shape[:-1] != wanted:
            raise ModelError(
                f"{self._name}: {self._output} has shape {answer.shape}, not {wanted} + width"
            )
        row: Floats = answer[0]
        return self._pooled(row) if each_token else row

    def _pooled(self, states: Floats) -> Floats:
        if self._pooling == "cls":
            first: Floats = states[0]
            return first
        mean: Floats = np.mean(states, axis=0, dtype=np.float64)
        return mean


def leaves_pooling(session: Session) -> bool:
    """Whether the graph gives vectors of tokens only."""
    return all(port.name != WHOLE_TEXT for port in session.get_outputs())


def _chosen(name: str, outputs: Sequence[str]) -> str:
    for wanted in (WHOLE_TEXT, *EACH_TOKEN):
        if wanted in outputs:
            return wanted
    known = ", ".join((WHOLE_TEXT, *EACH_TOKEN))
    raise ModelError(f"{name}: the model gives {', '.join(outputs)}; one of {known} would fit")
