"""What the code that onnxruntime chooses for a processor gives: vectors of texts, and two more."""

from collections.abc import Sequence

import numpy as np

from docgraph.adapters.onnx.granite import GraniteEmbedder
from docgraph.adapters.onnx.graph import FLOAT, TYPES, Array, OnnxGraph
from docgraph.adapters.onnx.session import open_session


def values(texts: Sequence[str]) -> dict[str, object]:
    return {
        "vectors": [vector.tolist() for vector in GraniteEmbedder().embed(texts)],
        "softmax": softmax().ravel().tolist(),
        "eight_bits": float(eight_bit_product().max()),
    }


def softmax() -> Array:
    """By onnxruntime's own operation, of numbers that differ in each row."""
    graph = OnnxGraph()
    scale = graph.constant("scale", np.array(0.0137, dtype=np.float32))
    scores = graph.operation("Mul", graph.operation("Cast", "numbers", to=FLOAT), scale)
    numbers = np.random.default_rng(1).integers(0, 1000, (50, 100))
    return run(graph, graph.operation("Softmax", scores, axis=-1), numbers)


def eight_bit_product() -> Array:
    """The largest states times the largest weights of 8 bits, 64 of them."""
    graph = OnnxGraph()
    weights = graph.constant("weights", np.full((64, 8), 127, dtype=np.int8))
    states = graph.operation("Cast", "numbers", to=TYPES["uint8"])
    product = graph.operation("MatMulInteger", states, weights)
    return run(graph, graph.operation("Cast", product, to=FLOAT), np.full((4, 64), 255))


def run(graph: OnnxGraph, result: str, numbers: Array) -> Array:
    model = graph.model(("numbers",), {"result": result})
    session = open_session("control", model, weights=graph.weights)
    (found,) = session.run(["result"], {"numbers": numbers})
    return found
