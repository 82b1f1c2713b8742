"""The bytes that OnnxGraph writes are the bytes that the onnx package reads."""

import numpy as np
import onnx

from docgraph.adapters.onnx.graph import OnnxGraph


def test_the_onnx_package_reads_what_was_written() -> None:
    graph = OnnxGraph()
    small = graph.constant("small", np.array([3.0], dtype=np.float32))
    large = graph.constant("large", np.ones((300, 7), dtype=np.int8))
    rows = graph.operation("Cast", graph.operation("Gather", large, "tokens"), to=1)
    total = graph.operation("Transpose", graph.operation("Mul", rows, small), perm=(1, 0))
    normal = graph.operation("Softmax", total, axis=-1)
    model = onnx.load_from_string(graph.model(("tokens",), {"answer": normal}))

    assert [node.op_type for node in model.graph.node] == [
        "Gather", "Cast", "Mul", "Transpose", "Softmax", "Identity",
    ]  # fmt: skip
    attributes = {
        a.name: onnx.helper.get_attribute_value(a) for n in model.graph.node for a in n.attribute
    }
    assert attributes == {"to": 1, "perm": [1, 0], "axis": -1}
    assert [(port.name, port.type.tensor_type.elem_type) for port in model.graph.input] == [
        ("tokens", onnx.TensorProto.INT64)
    ]
    assert [port.name for port in model.graph.output] == ["answer"]
    assert onnx.numpy_helper.to_array(model.graph.initializer[0]).tolist() == [3.0]


def test_an_array_is_split_into_several() -> None:
    graph = OnnxGraph()
    parts = graph.split("array", 3, axis=1)
    model = onnx.load_from_string(graph.model(("array",), {"last": parts[2]}))
    split, last = model.graph.node
    assert (split.op_type, list(split.output), list(last.input)) == ("Split", [*parts], [parts[2]])


def test_large_weights_stay_outside_the_bytes() -> None:
    graph = OnnxGraph()
    graph.constant("large", np.arange(600, dtype=np.float32).reshape(2, 300).T)
    model = onnx.load_from_string(graph.model((), {}))
    (tensor,) = model.graph.initializer
    assert (tensor.name, list(tensor.dims), tensor.raw_data) == ("large", [300, 2], b"")
    assert tensor.data_location == onnx.TensorProto.EXTERNAL
    assert graph.weights["large"].flags.c_contiguous


def test_a_float_attribute_keeps_its_value() -> None:
    graph = OnnxGraph()
    graph.operation("LayerNormalization", "x", "w", epsilon=1e-12)
    model = onnx.load_from_string(graph.model((), {}))
    (attribute,) = model.graph.node[0].attribute
    assert np.float32(onnx.helper.get_attribute_value(attribute)) == np.float32(1e-12)
