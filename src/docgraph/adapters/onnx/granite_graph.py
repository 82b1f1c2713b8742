"""The granite encoder (RoBERTa: normalised after attention and after exact GELU) in ONNX."""

import math

import numpy as np

from docgraph.adapters.onnx.granite_pack import GranitePack
from docgraph.adapters.onnx.graph import Array, OnnxGraph

VERSION = 1  # changes when the arithmetic does; part of the embedder's digest
FLOAT = 1


class GraniteGraph:
    """`model` turns rows of tokens and their positions into the first tokens' vectors."""

    def __init__(self, pack: GranitePack) -> None:
        self._pack = pack
        self._graph = OnnxGraph()
        self._apply = self._graph.operation
        self._heads = self._integers("heads", 0, 0, pack.heads, pack.width // pack.heads)
        self._merged_heads = self._integers("joined", 0, 0, pack.width)
        self._scale = self._scalar("scale", 1 / math.sqrt(pack.width // pack.heads))
        outputs = {"sentence_embedding": self._first_token()}
        self.model = self._graph.model(("input_ids", "position_ids"), outputs)
        self.weights = self._graph.weights

    def _first_token(self) -> str:
        zero, one = self._integers("zero", 0), self._integers("one", 1)
        states = self._embedding()
        *layers, last = (f"l{number}." for number in range(self._pack.layers))
        for layer in layers:
            states = self._layer(layer, states, states)
        # Only the first token's output is used, so the last layer computes its query alone, which
        # saves a seventh.
        first = self._apply("Slice", states, zero, one, one)
        return self._apply("Squeeze", self._layer(last, first, states), one)

    def _embedding(self) -> str:
        # The embedding table is half of the model: rows are converted to floats on lookup.
        table = self._pack.quantised("word_emb")
        whole = self._apply("Gather", self._constant("whole", table.whole), "input_ids")
        scales = self._apply("Gather", self._constant("scales", table.scales), "input_ids")
        words = self._apply("Mul", self._apply("Cast", whole, to=FLOAT), scales)
        positions = self._constant("pos_emb", self._pack.floats("pos_emb"))
        with_positions = self._apply(
            "Add",
            self._apply("Reshape", words, self._merged_heads),
            self._apply("Gather", positions, "position_ids"),
        )
        kind = self._constant("type_emb", self._pack.floats("type_emb")[0])
        return self._normalise("emb_ln", self._apply("Add", with_positions, kind))

    def _layer(self, layer: str, queries: str, keys: str) -> str:
        attended = self._linear(f"{layer}ao", self._attention(layer, queries, keys))
        states = self._normalise(f"{layer}aln", self._apply("Add", queries, attended))
        inner = self._apply("Gelu", self._linear(f"{layer}f1", states))
        outer = self._linear(f"{layer}f2", inner)
        return self._normalise(f"{layer}fln", self._apply("Add", states, outer))

    def _attention(self, layer: str, queries: str, keys: str) -> str:
        query = self._project(layer, 0, queries, (0, 2, 1, 3))
        key = self._project(layer, 1, keys, (0, 2, 3, 1))
        value = self._project(layer, 2, keys, (0, 2, 1, 3))
        scores = self._apply("Mul", self._apply("MatMul", query, key), self._scale)
        mixed = self._apply("MatMul", self._apply("Softmax", scores, axis=-1), value)
        together = self._apply("Transpose", mixed, perm=(0, 2, 1, 3))
        return self._apply("Reshape", together, self._merged_heads)

    def _project(self, layer: str, part: int, states: str, order: tuple[int, ...]) -> str:
        """One of query, key and value (which share a tensor), laid out by heads."""
        rows = slice(part * self._pack.width, (part + 1) * self._pack.width)
        linear = self._linear(f"{layer}qkv", states, rows)
        return self._apply("Transpose", self._apply("Reshape", linear, self._heads), perm=order)

    def _linear(self, name: str, states: str, rows: slice = slice(None)) -> str:
        weight, bias = (self._pack.floats(f"{name}.{end}")[rows] for end in "wb")
        named = f"{name}.{rows.start or 0}"
        product = self._apply("MatMul", states, self._constant(f"{named}.w", weight.T))
        return self._apply("Add", product, self._constant(f"{named}.b", bias))

    def _normalise(self, name: str, states: str) -> str:
        ends = (self._constant(f"{name}.{end}", self._pack.floats(f"{name}.{end}")) for end in "wb")
        return self._apply("LayerNormalization", states, *ends, axis=-1, epsilon=self._pack.epsilon)

    def _constant(self, name: str, array: Array) -> str:
        return self._graph.constant(name, array)

    def _integers(self, name: str, *numbers: int) -> str:
        return self._graph.constant(name, np.array(numbers, dtype=np.int64))

    def _scalar(self, name: str, number: float) -> str:
        return self._graph.constant(name, np.array(number, dtype=np.float32))
