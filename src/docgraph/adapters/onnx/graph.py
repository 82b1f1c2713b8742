"""Writes an ONNX graph as protobuf bytes, so that running a model needs no onnx package.

Large weights stay outside the bytes: a session is handed the arrays themselves.
"""

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Attribute = int | float | tuple[int, ...]
Field = tuple[int, int | float | str | bytes]

OPSET = 20
IR_VERSION = 9
INLINE = 64  # bytes up to which a constant is written into the graph itself
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
FLOAT = TYPES["float32"]


class OnnxGraph:
    """Grows node by node; every operation returns the name of its result."""

    def __init__(self) -> None:
        self._nodes: list[Field] = []
        self._constants: list[Field] = []
        self._weights: dict[str, Array] = {}

    @property
    def weights(self) -> Mapping[str, Array]:
        """The arrays that the model's bytes only name."""
        return self._weights

    def constant(self, name: str, array: Array) -> str:
        fields: list[Field] = [(1, size) for size in array.shape]
        fields += [(2, TYPES[array.dtype.name]), (8, name)]
        if array.nbytes <= INLINE:
            fields.append((9, array.tobytes()))
        else:
            fields += [(13, _message((1, "location"), (2, "memory"))), (14, 1)]
            self._weights[name] = np.ascontiguousarray(array)
        self._constants.append((5, _message(*fields)))
        return name

    def operation(self, kind: str, *inputs: str, **attributes: Attribute) -> str:
        result = f"{kind}_{len(self._nodes)}"
        self._operation((result,), kind, inputs, attributes)
        return result

    def split(self, array: str, parts: int, axis: int) -> tuple[str, ...]:
        """Parts of equal size along an axis."""
        results = tuple(f"{array}_{part}" for part in range(parts))
        self._operation(results, "Split", (array,), {"axis": axis, "num_outputs": parts})
        return results

    def model(self, inputs: tuple[str, ...], outputs: Mapping[str, str]) -> bytes:
        """Inputs are rows of integers, outputs rows of floats, each under its public name."""
        for public, result in outputs.items():
            self._operation((public,), "Identity", (result,), {})
        ends: list[Field] = [(11, _rows(name, "int64")) for name in inputs]
        ends += [(12, _rows(name, "float32")) for name in outputs]
        graph = _message(*self._nodes, (2, "docgraph"), *self._constants, *ends)
        return _message((1, IR_VERSION), (7, graph), (8, _message((2, OPSET))))

    def _operation(
        self,
        results: tuple[str, ...],
        kind: str,
        inputs: tuple[str, ...],
        attributes: Mapping[str, Attribute],
    ) -> None:
        fields: list[Field] = [(1, name) for name in inputs]
        fields += [(2, name) for name in results]
        fields.append((4, kind))
        fields += [(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append((1, _message(*fields)))


def _attribute(name: str, value: Attribute) -> bytes:
    match value:
        case int():
            return _message((1, name), (3, value), (20, 2))
        case float():
            return _message((1, name), (2, value), (20, 1))
        case _:
            return _message((1, name), *((8, item) for item in value), (20, 7))


def _rows(name: str, kind: str) -> bytes:
    shape = _message(*((1, _message((2, f"{name}_{axis}"))) for axis in ("row", "column")))
    return _message((1, name), (2, _message((1, _message((1, TYPES[kind]), (2, shape))))))


def _message(*fields: Field) -> bytes:
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: int | float | str | bytes) -> bytes:
    match value:
        case int():
            return _varint(number << 3) + _varint(value)
        case float():
            return _varint(number << 3 | 5) + struct.pack("<f", value)
        case str():
            return _field(number, value.encode())
        case _:
            return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    """Seven bits a byte, lowest first; negative numbers as 64 bits of two's complement."""
    value &= (1 << 64) - 1
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)
