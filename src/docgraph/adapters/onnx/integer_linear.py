"""Linear layers in integers: 8-bit states times 7-bit weights, in plain ONNX operations.

Each row of states has a scale of its own, so that a row does not depend on the others; each
column of weights too. Processors without VNNI add two products in 16 bits: so the largest state
times the largest weight must stay within 16,383. Beyond, they would saturate and others not.
"""

from dataclasses import dataclass

import numpy as np

from docgraph.adapters.onnx.granite_pack import LARGEST, QuantisedTensor
from docgraph.adapters.onnx.graph import FLOAT, Array, OnnxGraph


@dataclass(frozen=True, slots=True)
class Integers:
    """How states and weights of a layer are written as integers.

    States go up to `largest_state`, and `zero` stands for 0. The largest state of a row has the
    largest integer, unless the row's scale would be smaller than `smallest_scale`; where there is
    none, states below zero are as large as those above.
    """

    name: str
    zero: int
    largest_state: int
    largest_weight: int
    smallest_scale: float | None = None


SIGNED = Integers("signed", 128, 255, 63)
# GELU gives nothing below -0.17. Fewer integers are enough for states then, and weights get more.
AFTER_GELU = Integers("gelu", 17, 180, 91, smallest_scale=0.17 / 17)

BLOCK = 64  # rows


def column_weights(tensor: QuantisedTensor, limit: int) -> tuple[Array, Array]:
    """Integers up to `limit` of the transposed tensor (columns, rows), and a scale for each row.

    Only one multiplication per weight, and in blocks that stay in a processor's cache, so that
    opening a model takes little time.
    """
    rows, groups, size = tensor.whole.shape
    scales = tensor.scales.max(axis=1) * np.float32(LARGEST / limit)
    factors = tensor.scales / scales[:, np.newaxis]
    whole = np.empty((groups * size, rows), np.int8)
    block = np.empty((BLOCK, groups, size), np.float32)
    for start in range(0, rows, BLOCK):
        some = slice(start, min(start + BLOCK, rows))
        product = block[: some.stop - start]
        np.multiply(tensor.whole[some], factors[some], out=product, dtype=np.float32)
        whole[:, some] = np.rint(product, out=product).reshape(len(product), -1).T
    return whole, scales[:, 0]


class IntegerLinear:
    """Adds linear layers to a graph."""

    def __init__(self, graph: OnnxGraph) -> None:
        self._graph = graph
        self._apply = graph.operation
        self._row_axis = graph.constant("row_axis", np.array([1], dtype=np.int64))
        self._shared: dict[str, str] = {}

    def product(
        self,
        name: str,
        states: str,
        count: str,
        tensor: QuantisedTensor,
        bias: Array,
        kind: Integers,
    ) -> str:
        """`count` is how many rows `states` has, as a shape."""
        scales = self._scales(states, kind)
        each = self._apply("Squeeze", scales, self._row_axis)
        whole = self._apply("QuantizeLinear", states, each, self._zeros(kind, count), axis=0)
        weights, columns = column_weights(tensor, kind.largest_weight)
        product = self._apply(
            "MatMulInteger", whole, self._graph.constant(f"{name}.whole", weights), self._zero(kind)
        )
        by_row = self._apply("Mul", self._apply("Cast", product, to=FLOAT), scales)
        by_column = self._apply("Mul", by_row, self._graph.constant(f"{name}.scales", columns))
        return self._apply("Add", by_column, self._graph.constant(f"{name}.bias", bias))

    def _scales(self, states: str, kind: Integers) -> str:
        """Of each row (rows, 1). That of a row of zeros may be zero: so is its product then."""
        step = self._number(f"{kind.name}_step", 1 / (kind.largest_state - kind.zero))
        if kind.smallest_scale is None:
            sizes = self._apply("Abs", states)
            largest = self._apply("ReduceMax", sizes, self._row_axis, keepdims=1)
            return self._apply("Mul", largest, step)
        largest = self._apply("ReduceMax", states, self._row_axis, keepdims=1)
        smallest = self._number(f"{kind.name}_smallest", kind.smallest_scale)
        return self._apply("Max", self._apply("Mul", largest, step), smallest)

    def _zeros(self, kind: Integers, count: str) -> str:
        name = f"{kind.name}_zeros_{count}"
        if name not in self._shared:
            self._shared[name] = self._apply("Expand", self._zero(kind), count)
        return self._shared[name]

    def _zero(self, kind: Integers) -> str:
        return self._constant(f"{kind.name}_zero", np.array(kind.zero, dtype=np.uint8))

    def _number(self, name: str, number: float) -> str:
        return self._constant(name, np.array(number, dtype=np.float32))

    def _constant(self, name: str, array: Array) -> str:
        if name not in self._shared:
            self._shared[name] = self._graph.constant(name, array)
        return self._shared[name]
