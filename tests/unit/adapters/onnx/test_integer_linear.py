"""Linear layers in integers: exact where integers are, and without overflow on any processor."""

import numpy as np
import pytest

from docgraph.adapters.onnx.granite_pack import LARGEST, QuantisedTensor
from docgraph.adapters.onnx.graph import Array, OnnxGraph
from docgraph.adapters.onnx.integer_linear import (
    AFTER_GELU,
    SIGNED,
    IntegerLinear,
    Integers,
    column_weights,
)
from docgraph.adapters.onnx.session import open_session

KINDS = pytest.mark.parametrize("kind", [SIGNED, AFTER_GELU], ids=lambda kind: kind.name)
SIXTEEN_BITS = 2**15 - 1
RANDOM = np.random.default_rng(3)
WIDTH = 192
WHOLE = RANDOM.integers(-127, 128, (48, 3, 64), dtype=np.int8)
WHOLE[..., 5] = LARGEST
TENSOR = QuantisedTensor(WHOLE, RANDOM.random((48, 3, 1), dtype=np.float32))
BIAS = RANDOM.normal(size=48).astype(np.float32)


def run(states: Array, kind: Integers, tensor: QuantisedTensor = TENSOR) -> Array:
    """The graph's input are numbers of rows of `states`."""
    graph = OnnxGraph()
    rows = graph.operation("Gather", graph.constant("states", states), "numbers")
    flat = graph.operation("Reshape", rows, graph.constant("flat", np.array([-1, WIDTH])))
    count = graph.operation("Shape", graph.operation("Squeeze", "numbers"))
    result = IntegerLinear(graph).product("layer", flat, count, tensor, BIAS, kind)
    model = graph.model(("numbers",), {"result": result})
    session = open_session("layer", model, weights=graph.weights)
    (found,) = session.run(["result"], {"numbers": np.arange(len(states))[None]})
    return found


@KINDS
def test_two_products_fit_into_the_bits_that_processors_without_vnni_add_in(
    kind: Integers,
) -> None:
    assert 2 * kind.largest_state * kind.largest_weight <= SIXTEEN_BITS


@KINDS
def test_the_largest_states_and_weights_give_the_exact_product(kind: Integers) -> None:
    """Beyond 16 bits, some processors would give a smaller one."""
    states = np.full((2, WIDTH), 3.0, dtype=np.float32)
    tensor = QuantisedTensor(np.full_like(WHOLE, LARGEST), np.ones_like(TENSOR.scales))
    assert np.allclose(run(states, kind, tensor), 3 * LARGEST * WIDTH + BIAS, rtol=1e-5)


@KINDS
def test_a_product_is_close_to_that_of_floats(kind: Integers) -> None:
    states = np.abs(RANDOM.normal(size=(9, WIDTH)).astype(np.float32)) - np.float32(0.1)
    exact = states @ TENSOR.floats().T + BIAS
    found = run(states, kind)
    assert np.linalg.norm(found - exact) < 0.02 * np.linalg.norm(exact)


def test_every_row_has_a_scale_of_its_own() -> None:
    """A row a thousand times as large as the others does not make them less precise."""
    states = RANDOM.normal(size=(4, WIDTH)).astype(np.float32)
    alone = run(states, SIGNED)
    states[2] *= 1000
    together = run(states, SIGNED)
    assert together[[0, 1, 3]].tobytes() == alone[[0, 1, 3]].tobytes()


def test_a_row_of_zeros_gives_the_bias() -> None:
    states = np.zeros((2, WIDTH), dtype=np.float32)
    assert run(states, SIGNED).tolist() == [BIAS.tolist()] * 2


def test_weights_are_the_nearest_integers_of_their_column() -> None:
    whole, scales = column_weights(TENSOR, 63)
    floats = TENSOR.floats().T
    assert whole.dtype == np.int8
    assert (whole.shape, scales.shape) == ((WIDTH, 48), (48,))
    assert np.abs(whole).max(axis=0).tolist() == [63] * 48
    assert np.abs(whole * scales - floats).max() <= scales.max() * 0.501


def test_a_part_of_a_tensor_has_the_floats_of_its_rows() -> None:
    assert TENSOR.part(slice(4, 9)).floats().tolist() == TENSOR.floats()[4:9].tolist()
