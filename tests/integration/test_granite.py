"""The default embedder gives the granite model's vectors, independent of batch and cores."""

import random
import subprocess
import sys
from collections.abc import Callable
from math import erf
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from docgraph.adapters.onnx.embedder import OnnxModel
from docgraph.adapters.onnx.granite import BATCH, GraniteEmbedder, granite_tokenizer, open_granite
from docgraph.adapters.onnx.granite_graph import GraniteGraph
from docgraph.adapters.onnx.granite_pack import GranitePack, find_pack, read_pack
from docgraph.adapters.onnx.integer_linear import column_weights
from docgraph.adapters.onnx.session import open_session
from docgraph.adapters.onnx.text_runner import SHORT
from docgraph.adapters.onnx.tokenizer import tokens
from docgraph.model.errors import BadInput, ModelError
from docgraph.model.vector import SCALE, cosine
from docgraph.ports.models import Embedder

Floats = npt.NDArray[np.float64]
Linear = Callable[[GranitePack, str, Floats], Floats]

WORDS = ("graph", "store", "snapshot", "of", "every", "document", "Zürich", "access_rule()")
TEXTS = (
    "How are documents of a closed branch found in a snapshot of every store?",
    "def spam(eggs: list[str]) -> int:\n    return len(eggs)",
    "",
    "Zürich " * 90,
)
FRESH = """
import sys
from docgraph.adapters.onnx.granite import GraniteEmbedder
embedder = GraniteEmbedder()
embedder.identity
print(sorted({"onnx", "onnxruntime", "tokenizers"} & set(sys.modules)))
embedder.embed(["one text", "another one"])
print(sorted({"onnx", "httpcore2"} & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def granite() -> GraniteEmbedder:
    return GraniteEmbedder()


def random_texts(count: int) -> list[str]:
    generator = random.Random(7)
    lengths = [generator.randint(1, 40) for _ in range(count)]
    return [" ".join(generator.choice(WORDS) for _ in range(length)) for length in lengths]


def test_granite_implements_the_port(granite: Embedder) -> None:
    (vector,) = granite.embed(["a text"])
    assert vector.dtype == np.int16
    assert vector.shape == (granite.identity.dimensions,) == (384,)
    assert granite.identity.name == "granite-embedding-30m-english"
    assert abs(float(np.linalg.norm(vector)) - SCALE) < 10


def test_a_vector_does_not_depend_on_other_texts(granite: GraniteEmbedder) -> None:
    texts = random_texts(60)
    alone = {text: granite.runner().floats([text])[0].tobytes() for text in texts}
    shuffled = random.Random(3).sample(texts, len(texts))
    together = granite.runner().floats(shuffled)
    assert [alone[text] for text in shuffled] == [floats.tobytes() for floats in together]
    singly = [granite.embed([text])[0].tobytes() for text in texts]
    assert singly == [vector.tobytes() for vector in granite.embed(texts)]


def test_a_vector_does_not_depend_on_the_number_of_cores(granite: GraniteEmbedder) -> None:
    texts = random_texts(12)
    one, many = (open_granite(find_pack(), cores=cores).floats(texts) for cores in (1, 5))
    assert [floats.tobytes() for floats in one] == [floats.tobytes() for floats in many]


def test_vectors_come_in_the_order_of_their_texts(granite: GraniteEmbedder) -> None:
    texts = ["how do I install it?", "Installation: run pip install", "The cat sat on the mat"]
    first, second, third = (vector.astype(int) for vector in granite.embed(texts))
    assert cosine(int(first @ second)) > cosine(int(first @ third)) + 0.1
    assert np.array_equal(granite.embed(texts[::-1])[0], third)


def test_no_texts_give_no_vectors(granite: GraniteEmbedder) -> None:
    assert granite.embed([]) == []


def test_any_string_has_a_vector(granite: GraniteEmbedder) -> None:
    for vector in granite.embed(["", " ", "\x00", "\ud800", "é\u0301 漢字 🙂", "</s><mask>"]):
        assert np.any(vector)


def test_a_long_text_is_truncated(granite: GraniteEmbedder) -> None:
    long, longer = ("hello" + " hello" * more for more in (600, 60_000))
    first, second = granite.embed([long, longer])
    assert np.array_equal(first, second)


def test_texts_of_equal_length_run_together_and_do_not_change_each_other(
    granite: GraniteEmbedder,
) -> None:
    """Of every length up to that from which on each text runs alone."""
    for words in (0, 1, 2, 3, 5, 8, 13, 21, 34, 45, SHORT - 3, SHORT - 2):
        generator = random.Random(words)
        texts = [" ".join(generator.choices("abcdefgh", k=words)) for _ in range(BATCH + 3)]
        together = granite.runner().floats(texts)
        alone = [granite.runner().floats([text])[0] for text in texts]
        assert [one.tobytes() for one in together] == [one.tobytes() for one in alone]


def test_the_vectors_are_those_of_the_formulas_with_integers(granite: GraniteEmbedder) -> None:
    pack = read_pack(find_pack())
    for text, vector in zip(TEXTS, granite.runner().floats(TEXTS), strict=True):
        ids = token_ids(pack, text)
        # Where a state lies between two integers, another last digit gives the other one.
        assert similarity(vector, forward(pack, ids, integer_linear)) > 0.999
        assert similarity(vector, forward(pack, ids, linear)) > 0.99


def test_without_integers_the_vectors_are_those_of_the_plain_formulas() -> None:
    """As on devices other than the CPU."""
    pack = read_pack(find_pack())
    graph = GraniteGraph(pack, integers=False)
    session = open_session("granite", graph.model, weights=graph.weights)
    model = OnnxModel("granite", session, first_position=pack.first_position, weights=graph.weights)
    for text in TEXTS:
        ids = token_ids(pack, text)
        assert similarity(model.vectors([ids])[0], forward(pack, ids, linear)) > 0.9999


def test_another_device_is_another_embedder(granite: GraniteEmbedder) -> None:
    assert GraniteEmbedder(providers=("cpu",)).identity == granite.identity
    devices = (("cuda",), ("cuda", "cpu"), ("openvino",))
    digests = {GraniteEmbedder(providers=device).identity.digest for device in devices}
    assert len(digests | {granite.identity.digest}) == 4


def test_a_device_that_onnxruntime_was_not_built_for_is_an_error() -> None:
    missing = "cuda" if sys.platform == "darwin" else "coreml"
    with pytest.raises(BadInput, match=rf"onnxruntime has no {missing}; it has .*cpu"):
        GraniteEmbedder(providers=(missing, "cpu")).embed(["a text"])


def test_embedding_prints_nothing_and_loads_the_model_on_first_use() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")


def test_a_missing_model_is_an_error_on_first_use(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="pip install"):
        GraniteEmbedder(tmp_path / "absent").embed(["a text"])


def token_ids(pack: GranitePack, text: str) -> list[int]:
    return tokens(granite_tokenizer(find_pack()), text, pack.max_length)


def similarity(one: npt.NDArray[np.floating], other: Floats) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def forward(pack: GranitePack, ids: list[int], linear: Linear) -> Floats:
    """The same encoder as plain formulas in float64."""
    at = np.arange(len(ids)) + pack.first_position
    x = pack.floats("word_emb")[ids] + pack.floats("pos_emb")[at] + pack.floats("type_emb")[0]
    x = layer_norm(pack, "emb_ln", x.astype(np.float64))
    for layer in range(pack.layers):
        name = f"l{layer}."
        attended = attention(pack, linear(pack, f"{name}qkv", x))
        x = layer_norm(pack, f"{name}aln", x + linear(pack, f"{name}ao", attended))
        inner = linear(pack, f"{name}f1", x)
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        x = layer_norm(pack, f"{name}fln", x + linear(pack, f"{name}f2", inner))
    first: Floats = x[0]
    return first


def attention(pack: GranitePack, projected: Floats) -> Floats:
    parts = np.split(projected, 3, axis=1)
    width, length = pack.width // pack.heads, len(projected)
    q, k, v = (part.reshape(length, pack.heads, width).swapaxes(0, 1) for part in parts)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(width)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed: Floats = (weights / weights.sum(axis=-1, keepdims=True)) @ v
    return mixed.swapaxes(0, 1).reshape(length, pack.width)


def linear(pack: GranitePack, name: str, x: Floats) -> Floats:
    product: Floats = x @ pack.floats(f"{name}.w").T + pack.floats(f"{name}.b")
    return product


def integer_linear(pack: GranitePack, name: str, x: Floats) -> Floats:
    """With states of 180 at most, zero as 17 and weights of 91 after GELU; else 255, 128 and 63.

    Scales are rounded as in the graph: states and weights between two integers then get the same.
    """
    after_gelu = name.endswith("f2")
    states = x.astype(np.float32)
    largest = (states if after_gelu else np.abs(states)).max(axis=1, keepdims=True)
    steps = np.maximum(largest * np.float32(1 / 163), 0.01) if after_gelu else largest / 127
    weights, columns = column_weights(pack.quantised(f"{name}.w"), 91 if after_gelu else 63)
    whole = np.rint(states / steps).astype(np.float64)
    product: Floats = whole @ weights * steps * columns + pack.floats(f"{name}.b")
    return product


def layer_norm(pack: GranitePack, name: str, x: Floats) -> Floats:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + pack.epsilon)
    scaled: Floats = centred / spread * pack.floats(f"{name}.w") + pack.floats(f"{name}.b")
    return scaled
