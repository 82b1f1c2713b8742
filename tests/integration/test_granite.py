"""The default embedder gives the granite model's vectors, alone and in any batch."""

import random
import subprocess
import sys
from math import erf
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from docgraph.adapters.onnx.granite import GraniteEmbedder, open_granite
from docgraph.adapters.onnx.granite_pack import GranitePack, find_pack, read_pack
from docgraph.adapters.onnx.tokenizer import load_tokenizer, tokens
from docgraph.model.errors import ModelError
from docgraph.model.vector import SCALE, cosine
from docgraph.ports.models import Embedder

Floats = npt.NDArray[np.float64]

WORDS = ("graph", "store", "snapshot", "of", "every", "document", "Zürich", "access_rule()")
FRESH = """
import sys
from docgraph.adapters.onnx.granite import GraniteEmbedder
embedder = GraniteEmbedder()
embedder.identity
print(sorted({"onnx", "onnxruntime", "tokenizers"} & set(sys.modules)))
embedder.embed(["one text", "another one"])
print("onnx" in sys.modules)
"""


@pytest.fixture(scope="module")
def granite() -> GraniteEmbedder:
    return GraniteEmbedder()


def texts(count: int) -> list[str]:
    chance = random.Random(7)
    lengths = [chance.randint(1, 40) for _ in range(count)]
    return [" ".join(chance.choice(WORDS) for _ in range(length)) for length in lengths]


def test_granite_keeps_the_port(granite: Embedder) -> None:
    (vector,) = granite.embed(["a text"])
    assert vector.dtype == np.int16
    assert vector.shape == (granite.identity.dimensions,) == (384,)
    assert granite.identity.name == "granite-embedding-30m-english"
    assert abs(float(np.linalg.norm(vector)) - SCALE) < 10


def test_a_vector_does_not_depend_on_its_companions(granite: GraniteEmbedder) -> None:
    inputs = texts(60)
    alone = {text: granite.runner().floats([text])[0].tobytes() for text in inputs}
    shuffled = random.Random(3).sample(inputs, len(inputs))
    together = granite.runner().floats(shuffled)
    assert [alone[text] for text in shuffled] == [floats.tobytes() for floats in together]
    singly = [granite.embed([text])[0].tobytes() for text in inputs]
    assert singly == [vector.tobytes() for vector in granite.embed(inputs)]


def test_a_vector_does_not_depend_on_the_number_of_cores(granite: GraniteEmbedder) -> None:
    inputs = texts(12)
    one, many = (open_granite(find_pack(), cores=cores).floats(inputs) for cores in (1, 5))
    assert [floats.tobytes() for floats in one] == [floats.tobytes() for floats in many]


def test_vectors_come_in_the_order_of_their_texts(granite: GraniteEmbedder) -> None:
    inputs = ["how do I install it?", "Installation: run pip install", "The cat sat on the mat"]
    first, second, third = (vector.astype(int) for vector in granite.embed(inputs))
    assert cosine(int(first @ second)) > cosine(int(first @ third)) + 0.1
    assert np.array_equal(granite.embed(inputs[::-1])[0], third)


def test_no_texts_give_no_vectors(granite: GraniteEmbedder) -> None:
    assert granite.embed([]) == []


def test_any_string_has_a_vector(granite: GraniteEmbedder) -> None:
    for vector in granite.embed(["", " ", "\x00", "\ud800", "é\u0301 漢字 🙂", "</s><mask>"]):
        assert np.any(vector)


def test_a_text_past_the_longest_is_read_to_that_length(granite: GraniteEmbedder) -> None:
    long, longer = ("hello" + " hello" * more for more in (600, 60_000))
    first, second = granite.embed([long, longer])
    assert np.array_equal(first, second)


def test_the_vectors_are_those_of_the_plain_formulas(granite: GraniteEmbedder) -> None:
    pack = read_pack(find_pack())
    tokenizer = load_tokenizer("granite", pack.tokenizer)
    inputs = [*texts(2), "", "def spam(eggs): return eggs"]
    for text, vector in zip(inputs, granite.runner().floats(inputs), strict=True):
        expected = forward(pack, tokens(tokenizer, text, pack.max_length))
        lengths = np.linalg.norm(expected) * np.linalg.norm(vector)
        assert expected @ vector / lengths > 0.9999


def test_a_fresh_install_embeds_in_silence_and_loads_late() -> None:
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\nFalse\n", "")


def test_a_missing_model_is_reported_at_the_first_text(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="pip install"):
        GraniteEmbedder(tmp_path / "absent").embed(["a text"])


def forward(pack: GranitePack, ids: list[int]) -> Floats:
    """The encoder once more, in float64 as plain formulas."""
    at = np.arange(len(ids)) + pack.first_position
    x = pack.floats("word_emb")[ids] + pack.floats("pos_emb")[at] + pack.floats("type_emb")[0]
    x = normalised(pack, "emb_ln", x.astype(np.float64))
    for layer in range(pack.layers):
        name = f"l{layer}."
        x = normalised(pack, f"{name}aln", x + linear(pack, f"{name}ao", attended(pack, name, x)))
        inner = linear(pack, f"{name}f1", x)
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        x = normalised(pack, f"{name}fln", x + linear(pack, f"{name}f2", inner))
    first: Floats = x[0]
    return first


def attended(pack: GranitePack, layer: str, x: Floats) -> Floats:
    parts = np.split(linear(pack, f"{layer}qkv", x), 3, axis=1)
    width = pack.width // pack.heads
    q, k, v = (part.reshape(len(x), pack.heads, width).swapaxes(0, 1) for part in parts)
    scores = q @ k.swapaxes(1, 2) / np.sqrt(width)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed: Floats = (weights / weights.sum(axis=-1, keepdims=True)) @ v
    return mixed.swapaxes(0, 1).reshape(len(x), pack.width)


def linear(pack: GranitePack, name: str, x: Floats) -> Floats:
    product: Floats = x @ pack.floats(f"{name}.w").T + pack.floats(f"{name}.b")
    return product


def normalised(pack: GranitePack, name: str, x: Floats) -> Floats:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + pack.epsilon)
    scaled: Floats = centred / spread * pack.floats(f"{name}.w") + pack.floats(f"{name}.b")
    return scaled
