"""The bundled model in integers against the same weights in floats, in one process, in turns.

The floats pass through onnxruntime's own operations, its Softmax included. Texts are random
tokens. One thread is measured in processor time, one run on every core in wall time. Argument:
rounds.
"""

import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial

import numpy as np

from docgraph.adapters.onnx.embedder import OnnxModel
from docgraph.adapters.onnx.granite import BATCH
from docgraph.adapters.onnx.granite_graph import GraniteGraph
from docgraph.adapters.onnx.granite_pack import NAME, GranitePack, find_pack, read_pack
from docgraph.adapters.onnx.session import Tokens, open_session
from docgraph.adapters.onnx.text_runner import parallel_map

LENGTHS = (12, 24, 48, 62, 62, 96, 120, 200, 300, 512)  # in tokens
SHORT = (6, 12, 24, 48, 63)
GENERATOR = np.random.default_rng(7)
Clock = Callable[[], float]
Work = Callable[[], object]
ModelWork = Callable[[OnnxModel, list[Tokens]], None]


class FloatGraph(GraniteGraph):
    """With onnxruntime's Softmax, whose last bits depend on the processor."""

    def __init__(self, pack: GranitePack) -> None:
        super().__init__(pack, integers=False)

    def _softmax_product(self, scores: str, value: str) -> str:
        return self._apply("MatMul", self._apply("Softmax", scores, axis=-1), value)


def open_model(graph: GraniteGraph, pack: GranitePack) -> OnnxModel:
    session = open_session(NAME, graph.model, weights=graph.weights)
    return OnnxModel(NAME, session, first_position=pack.first_position, weights=graph.weights)


def measure(rounds: int) -> dict[str, list[float]]:
    """How many times as fast, by what is compared."""
    pack = read_pack(find_pack())
    floats, integers = open_model(FloatGraph(pack), pack), open_model(GraniteGraph(pack), pack)

    def compared(rows: list[Tokens], work: ModelWork, clock: Clock = time.process_time) -> float:
        return ratio(partial(work, floats, rows), partial(work, integers, rows), clock)

    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for length in sorted(set(LENGTHS)):
            name = f"integers against floats, {length} tokens"
            found[name].append(compared(texts(length), one_by_one))
        mixed = [text for length in LENGTHS for text in texts(length)]
        found["integers against floats, all lengths"].append(compared(mixed, one_by_one))
        found["the same, one run on every core"].append(
            compared(mixed * 3, side_by_side, time.perf_counter)
        )
        for length in SHORT:
            rows = texts(length, BATCH)
            together = partial(integers.vectors, [row for text in rows for row in text])
            name = f"{BATCH} texts of {length} tokens together, against one by one"
            found[name].append(ratio(partial(one_by_one, integers, rows), together))
    return found


def texts(length: int, count: int = 1) -> list[Tokens]:
    return [[row] for row in GENERATOR.integers(100, 50_000, (count, length)).tolist()]


def one_by_one(model: OnnxModel, rows: list[Tokens]) -> None:
    for text in rows:
        model.vectors(text)


def side_by_side(model: OnnxModel, rows: list[Tokens]) -> None:
    parallel_map(model.vectors, rows)


def ratio(slow: Work, fast: Work, clock: Clock = time.process_time) -> float:
    """Whichever comes first is random."""
    spent = [0.0, 0.0]
    for number in GENERATOR.permutation(2):
        began = clock()
        (slow, fast)[number]()
        spent[number] = clock() - began
    return spent[0] / spent[1]


def report(found: dict[str, list[float]]) -> None:
    for name, ratios in found.items():
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(f"{statistics.median(ratios):8.2f}  {name} ({spread})")


if __name__ == "__main__":
    report(measure(int(sys.argv[1]) if sys.argv[1:] else 9))
