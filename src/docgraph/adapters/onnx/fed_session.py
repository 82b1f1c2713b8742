"""Feeds a session what its graph asks for: the tokens of one text or pair, without padding."""

from collections.abc import Sequence

import numpy as np

from docgraph.adapters.onnx.graph import Array
from docgraph.adapters.onnx.session import Port, Session
from docgraph.model.errors import ModelError

INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
TYPES: dict[str, type[np.signedinteger]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class FedSession:
    """`kept` holds what the session reads in place."""

    def __init__(
        self, name: str, session: Session, *, first_position: int = 0, kept: object = None
    ) -> None:
        self._name = name
        self._session = session
        self._first_position = first_position
        self._kept = kept
        self._inputs = tuple(_known(name, port) for port in session.get_inputs())
        self.outputs = tuple(port.name for port in session.get_outputs())

    def run(self, output: str, tokens: Sequence[int], segments: Sequence[int] = ()) -> Array:
        """`segments` say which text of a pair each token is of; none is all of the first."""
        feeds = {
            name: self._feed(name, tokens, segments).astype(kind)[None]
            for name, kind in self._inputs
        }
        try:
            (answer,) = self._session.run([output], feeds)
        except Exception as error:  # onnxruntime's errors share no narrower class
            raise ModelError(f"{self._name}: onnxruntime cannot run it: {error}") from error
        return answer

    def _feed(self, name: str, tokens: Sequence[int], segments: Sequence[int]) -> Array:
        match name:
            case "input_ids":
                return np.array(tokens)
            case "attention_mask":
                return np.ones(len(tokens))
            case "position_ids":
                return np.arange(self._first_position, self._first_position + len(tokens))
            case _:
                return np.array(segments) if segments else np.zeros(len(tokens))


def _known(name: str, port: Port) -> tuple[str, type[np.signedinteger]]:
    if port.name not in INPUTS or port.type not in TYPES:
        raise ModelError(
            f"{name}: the model asks for {port.name} of {port.type}; "
            f"known are {', '.join(INPUTS)} of {' or '.join(TYPES)}"
        )
    return port.name, TYPES[port.type]
