"""Sessions of onnxruntime: they run on the caller's thread and on chosen devices, and log nothing.

Devices are named as settings name them.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from docgraph.adapters.onnx.graph import Array
from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.model.errors import BadInput, ModelError
from docgraph.ports.models import CPU_ALONE

FATAL = 4
EMPTY: Mapping[str, Any] = {}
PROVIDERS = MappingProxyType(
    {
        "coreml": "CoreMLExecutionProvider",
        "cpu": "CPUExecutionProvider",
        "cuda": "CUDAExecutionProvider",
        "directml": "DmlExecutionProvider",
        "openvino": "OpenVINOExecutionProvider",
    }
)


class Port(Protocol):
    """An input or output of a session, as onnxruntime describes it."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...


class Session(Protocol):
    """The part of onnxruntime's InferenceSession that is used; threads may run it concurrently."""

    def get_inputs(self) -> Sequence[Port]: ...
    def get_outputs(self) -> Sequence[Port]: ...
    def get_providers(self) -> Sequence[str]: ...
    def run(self, outputs: Sequence[str], feeds: Mapping[str, Array]) -> Sequence[Array]: ...


def open_session(
    name: str,
    model: bytes,
    *,
    weights: Mapping[str, Array] = EMPTY,
    files: Mapping[str, bytes] = EMPTY,
    providers: Sequence[str] = CPU_ALONE,
) -> Session:
    """`weights` are read in place: keep them as long as the session."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import, which starts it
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # if it was imported before
    _require_available(providers, onnxruntime.get_available_providers())
    chosen = [PROVIDERS[provider] for provider in providers]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL  # errors come back as exceptions
    options.intra_op_num_threads = 1  # sums are then split alike on every number of cores
    # Further optimisations depend on the processor.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(weight) for weight in weights.values()]
    options.add_external_initializers(list(weights), values)
    if files:
        sizes = [len(data) for data in files.values()]
        options.add_external_initializers_from_files_in_memory(
            list(files), list(files.values()), sizes
        )
    try:
        session: Session = onnxruntime.InferenceSession(model, options, providers=chosen)
    except Exception as error:  # onnxruntime's errors share no narrower class
        raise ModelError(f"{name}: onnxruntime cannot load the model: {error}") from error
    _require_used(name, providers, session.get_providers())
    return session


def _require_available(providers: Sequence[str], available: Sequence[str]) -> None:
    """`available` are those that the installed onnxruntime was built with."""
    missing = [name for name in providers if PROVIDERS[name] not in available]
    if missing:
        raise BadInput(
            f"embedder.execution_providers: the installed onnxruntime has no {_listed(missing)}; "
            f"it has {_listed(name for name, full in PROVIDERS.items() if full in available)}"
        )


def _require_used(name: str, providers: Sequence[str], used: Sequence[str]) -> None:
    """onnxruntime goes on without a provider whose device or driver it does not find."""
    unused = [provider for provider in providers if PROVIDERS[provider] not in used]
    if unused:
        raise ModelError(
            f"{name}: onnxruntime does not run it on {_listed(unused)}: "
            "it finds no such device, or not its driver"
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def identity_part(providers: Sequence[str]) -> dict[str, list[str]]:
    """Of an embedder's digest: another device gives other vectors."""
    return {} if tuple(providers) == CPU_ALONE else {"execution_providers": list(providers)}


INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
Tokens = Sequence[Sequence[int]]  # one row for each text, all of one length
TYPES: dict[str, type[np.signedinteger]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class ModelSession:
    """Runs the tokens of texts or pairs of equal length, without padding. `weights` are read in
    place, so they are referenced here."""

    def __init__(
        self, name: str, session: Session, *, first_position: int = 0, weights: object = None
    ) -> None:
        self._name = name
        self._session = session
        self._first_position = first_position
        self._weights = weights
        self._inputs = tuple(_input(name, port) for port in session.get_inputs())
        self.outputs = tuple(port.name for port in session.get_outputs())

    def run(self, output: str, rows: Tokens, segments: Tokens = ()) -> Array:
        """`segments` say to which text of a pair each token belongs; without, all to the first."""
        feeds = {
            name: self._feed(name, np.array(rows), segments).astype(kind)
            for name, kind in self._inputs
        }
        try:
            (result,) = self._session.run([output], feeds)
        except Exception as error:  # onnxruntime's errors share no narrower class
            raise ModelError(f"{self._name}: onnxruntime cannot run it: {error}") from error
        return result

    def _feed(self, name: str, tokens: Array, segments: Tokens) -> Array:
        match name:
            case "input_ids":
                return tokens
            case "attention_mask":
                return np.ones(tokens.shape)
            case "position_ids":
                places = np.arange(self._first_position, self._first_position + tokens.shape[1])
                return np.broadcast_to(places, tokens.shape)
            case _:
                return np.array(segments) if segments else np.zeros(tokens.shape)


def _input(name: str, port: Port) -> tuple[str, type[np.signedinteger]]:
    if port.name not in INPUTS or port.type not in TYPES:
        raise ModelError(
            f"{name}: the model asks for {port.name} of {port.type}; "
            f"known are {', '.join(INPUTS)} of {' or '.join(TYPES)}"
        )
    return port.name, TYPES[port.type]


MODEL_FILES = ("model.onnx", "onnx/model.onnx")


def open_folder_session(folder: ModelFolder, providers: Sequence[str] = CPU_ALONE) -> Session:
    """Also reads the tensors that the model keeps in other files."""
    file = next((file for file in MODEL_FILES if folder.has(file)), None)
    if file is None:
        raise ModelError(f"{folder.path}: holds neither {' nor '.join(MODEL_FILES)}")
    data = folder.read(file)
    tensors = folder.tensors_of(file, data)
    return open_session(folder.name, data, files=tensors, providers=providers)
