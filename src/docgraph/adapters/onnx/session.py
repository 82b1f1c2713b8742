"""Opens an ONNX model for running on the caller's own thread, silently."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from docgraph.adapters.onnx.graph import Array
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
