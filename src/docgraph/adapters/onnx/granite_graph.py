"""The granite encoder (RoBERTa: normalised after attention and after exact GELU) in ONNX."""

import math

import numpy as np

from docgraph.adapters.onnx.granite_pack import GranitePack
from docgraph.adapters.onnx.graph import FLOAT, Array, OnnxGraph
from docgraph.adapters.onnx.integer_linear import AFTER_GELU, SIGNED, IntegerLinear, Integers

VERSION = 2  # changes when the arithmetic does; part of the embedder's digest


class GraniteGraph:
    """`model` turns texts of equal length, as rows of tokens and of their positions, into the
    first tokens' vectors.

    States have one row for each token of each text. Linear layers compute with `integers`, as
    processors do fast, or with floats.
    """

    def __init__(self, pack: GranitePack, *, integers: bool = True) -> None:
        self._pack = pack
        self._graph = OnnxGraph()
        self._apply = self._graph.operation
        self._integer_linear = IntegerLinear(self._graph) if integers else None
        self._last_axis = self._integers("last_axis", -1)
        self._flat = self._integers("flat", -1, pack.width)
        head_width = pack.width // pack.heads
        self._scale = self._scalar("scale", 1 / math.sqrt(head_width))
        shape = self._apply("Shape", "input_ids")
        heads = self._integers("heads", -1, head_width)
        self._by_head = self._apply("Concat", shape, heads, axis=0)
        self._first_by_head = self._integers("first_by_head", -1, 1, pack.heads, head_width)
        self._by_text = self._apply("Concat", shape, self._integers("width", pack.width), axis=0)
        outputs = {"sentence_embedding": self._first_token()}
        self.model = self._graph.model(("input_ids", "position_ids"), outputs)
        self.weights = self._graph.weights

    def _first_token(self) -> str:
        tokens = self._apply("Reshape", "input_ids", self._last_axis)
        count = self._apply("Shape", tokens)
        states = self._embedding(tokens)
        *layers, last = (f"l{number}." for number in range(self._pack.layers))
        for layer in layers:
            heads = self._project(layer, slice(0, 3), states, count, self._by_head)
            states = self._layer(layer, states, count, self._graph.split(heads, 3, axis=1))
        # Only the first token's output is used, so the last layer computes its query alone, which
        # saves a seventh.
        first, texts = self._first_of_each(states)
        query = self._project(last, slice(0, 1), first, texts, self._first_by_head)
        heads = self._project(last, slice(1, 3), states, count, self._by_head)
        return self._layer(last, first, texts, (query, *self._graph.split(heads, 2, axis=1)))

    def _first_of_each(self, states: str) -> tuple[str, str]:
        """The states of each text's first token, and their number."""
        zero, one = self._integers("zero", 0), self._integers("one", 1)
        by_text = self._apply("Reshape", states, self._by_text)
        first = self._apply("Slice", by_text, zero, one, one)
        texts = self._apply("Slice", self._by_text, zero, one)
        return self._apply("Reshape", first, self._flat), texts

    def _embedding(self, tokens: str) -> str:
        # The embedding table is half of the model: rows are converted to floats on lookup.
        table = self._pack.quantised("word_emb")
        whole = self._apply("Gather", self._constant("whole", table.whole), tokens)
        scales = self._apply("Gather", self._constant("scales", table.scales), tokens)
        words = self._apply("Mul", self._apply("Cast", whole, to=FLOAT), scales)
        places = self._apply("Reshape", "position_ids", self._last_axis)
        positions = self._apply(
            "Gather", self._constant("pos_emb", self._pack.floats("pos_emb")), places
        )
        with_positions = self._apply("Add", self._apply("Reshape", words, self._flat), positions)
        kind = self._constant("type_emb", self._pack.floats("type_emb")[0])
        return self._normalise("emb_ln", self._apply("Add", with_positions, kind))

    def _layer(self, layer: str, states: str, count: str, heads: tuple[str, ...]) -> str:
        """`states` are those of the tokens whose query is given, with all keys and values."""
        attended = self._linear(f"{layer}ao", self._attention(*heads), count)
        states = self._normalise(f"{layer}aln", self._apply("Add", states, attended))
        inner = self._apply("Gelu", self._linear(f"{layer}f1", states, count))
        outer = self._linear(f"{layer}f2", inner, count, kind=AFTER_GELU)
        return self._normalise(f"{layer}fln", self._apply("Add", states, outer))

    def _attention(self, query: str, key: str, value: str) -> str:
        scores = self._apply("MatMul", query, self._apply("Transpose", key, perm=(0, 1, 3, 2)))
        mixed = self._softmax_product(self._apply("Mul", scores, self._scale), value)
        by_token = self._apply("Transpose", mixed, perm=(0, 2, 1, 3))
        return self._apply("Reshape", by_token, self._flat)

    def _softmax_product(self, scores: str, value: str) -> str:
        """In plain operations: onnxruntime's Softmax gives other bits on other processors.

        The product is divided, not its longer first factor.
        """
        largest = self._apply("ReduceMax", scores, self._last_axis, keepdims=1)
        powers = self._apply("Exp", self._apply("Sub", scores, largest))
        total = self._apply("ReduceSum", powers, self._last_axis, keepdims=1)
        return self._apply("Div", self._apply("MatMul", powers, value), total)

    def _project(self, layer: str, parts: slice, states: str, count: str, shape: str) -> str:
        """Some of query, key and value, which share a tensor, as (text, head, token, number)."""
        width = self._pack.width
        rows = slice(parts.start * width, parts.stop * width)
        linear = self._linear(f"{layer}qkv", states, count, rows=rows)
        return self._apply("Transpose", self._apply("Reshape", linear, shape), perm=(0, 2, 1, 3))

    def _linear(
        self,
        name: str,
        states: str,
        count: str,
        *,
        rows: slice = slice(None),
        kind: Integers = SIGNED,
    ) -> str:
        bias = self._pack.floats(f"{name}.b")[rows]
        named = f"{name}.{rows.start or 0}"
        if self._integer_linear is not None:
            tensor = self._pack.quantised(f"{name}.w").part(rows)
            return self._integer_linear.product(named, states, count, tensor, bias, kind)
        weights = self._constant(f"{named}.w", self._pack.floats(f"{name}.w")[rows].T)
        product = self._apply("MatMul", states, weights)
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
