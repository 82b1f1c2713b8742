"""Opens an ONNX model for running on the caller's own thread, silently."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from docgraph.adapters.onnx.graph import Array
from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.model.errors import ModelError

FATAL = 4
NOTHING: Mapping[str, Any] = {}


class Port(Protocol):
    """An input or output of a session, as onnxruntime describes it."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...


class Session(Protocol):
    """What is used of onnxruntime's InferenceSession; threads may run it at the same time."""

    def get_inputs(self) -> Sequence[Port]: ...
    def get_outputs(self) -> Sequence[Port]: ...
    def run(self, outputs: Sequence[str], feeds: Mapping[str, Array]) -> Sequence[Array]: ...


def open_session(
    name: str,
    model: bytes,
    *,
    weights: Mapping[str, Array] = NOTHING,
    files: Mapping[str, bytes] = NOTHING,
) -> Session:
    """`weights` are read in place: keep them as long as the session."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import: it starts reporting there
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # where someone else has imported it before
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL  # errors come back as exceptions
    options.intra_op_num_threads = 1  # sums are then split alike on every number of cores
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
    options.add_external_initializers(list(weights), values)
    if files:
        sizes = [len(data) for data in files.values()]
        options.add_external_initializers_from_files_in_memory(
            list(files), list(files.values()), sizes
        )
    try:
        session: Session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's errors share no narrower class
        raise ModelError(f"{name}: onnxruntime cannot load the model: {error}") from error
    return session


# Feeds a session what its graph asks for: the tokens of one text or pair, without padding.


INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
TYPES: dict[str, type[np.signedinteger]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class ModelSession:
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


# Opens the ONNX model of a folder, with the tensors that lie beside it.


MODEL_FILES = ("model.onnx", "onnx/model.onnx")


def open_folder_session(folder: ModelFolder) -> Session:
    file = next((file for file in MODEL_FILES if folder.has(file)), None)
    if file is None:
        raise ModelError(f"{folder.path}: holds neither {' nor '.join(MODEL_FILES)}")
    data = folder.read(file)
    return open_session(folder.name, data, files=folder.tensors_of(file, data))
