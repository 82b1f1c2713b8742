"""Runs a model over texts on every core; a text's vector depends on no other text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from docgraph.model.vector import IntVector, integer_vector

if TYPE_CHECKING:
    from docgraph.adapters.onnx.session import Tokens

Floats = npt.NDArray[np.floating]
Item = TypeVar("Item")
Result = TypeVar("Result")

SHORT = 64  # tokens from which on a text takes as long alone as in a batch, or less


class Model(Protocol):
    def vectors(self, rows: Tokens) -> Floats: ...


def parallel_map(
    work: Callable[[Item], Result], items: Sequence[Item], cores: int | None = None
) -> list[Result]:
    """On every core, in the order of the items; a single one runs on the caller's thread."""
    if len(items) < 2:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(cores or _usable_cores(), len(items))) as pool:
        return list(pool.map(work, items))


def _usable_cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def batches(lengths: Sequence[int], largest: int) -> Iterator[list[int]]:
    """Positions of texts that run together: short ones of equal length, so without padding.

    The longest come first: the cores then finish at about the same time.
    """
    order = sorted(range(len(lengths)), key=lambda position: (-lengths[position], position))
    for length, group in groupby(order, key=lengths.__getitem__):
        positions = list(group)
        size = largest if length < SHORT else 1
        for start in range(0, len(positions), size):
            yield positions[start : start + size]


class TextRunner:
    """Runs up to `batch` short texts of equal length together, and longer ones alone."""

    def __init__(
        self,
        name: str,
        encode: Callable[[str, int], list[int]],
        model: Model,
        width: int,
        longest: int,
        *,
        batch: int = 1,
        cores: int | None = None,
    ) -> None:
        """`encode` gives the tokens of a text, at most `longest`, special ones included."""
        self._name = name
        self._encode = encode
        self._model = model
        self._width = width
        self._longest = longest
        self._batch = batch
        self._cores = cores

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        return [integer_vector(self._name, floats) for floats in self.floats(texts)]

    def floats(self, texts: Sequence[str]) -> list[Floats]:
        """The model's own vectors, in the order of the texts."""
        rows = parallel_map(self._tokens, texts, self._cores)
        together = list(batches([len(row) for row in rows], self._batch))
        results = parallel_map(
            lambda positions: self._vectors([rows[position] for position in positions]),
            together,
            self._cores,
        )
        found = {
            position: vector
            for positions, vectors in zip(together, results, strict=True)
            for position, vector in zip(positions, vectors, strict=True)
        }
        return [found[position] for position in range(len(rows))]

    def _tokens(self, text: str) -> list[int]:
        return self._encode(text, self._longest)

    def _vectors(self, rows: Tokens) -> Floats:
        """A text without tokens has a vector of zeros."""
        return self._model.vectors(rows) if rows[0] else np.zeros((len(rows), self._width))
