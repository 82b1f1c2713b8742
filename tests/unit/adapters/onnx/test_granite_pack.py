"""The model file is used only when it is the pinned one."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from docgraph.adapters.onnx import granite_pack
from docgraph.adapters.onnx.granite_pack import (
    QuantisedTensor,
    find_pack,
    read_pack,
    read_tokenizer,
)
from docgraph.model.errors import ModelError


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copy(find_pack(), tmp_path / "copy.hmsemb"))


def change(path: Path, at: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def test_the_installed_pack_is_the_pinned_one() -> None:
    pack = read_pack(find_pack())
    assert (pack.layers, pack.heads, pack.width, pack.max_length) == (6, 12, 384, 512)
    assert pack.floats("l0.qkv.w").shape == (1152, 384)


def test_the_largest_number_of_every_group_is_the_largest_that_there_is() -> None:
    """Layers in integers take it for granted."""
    pack = read_pack(find_pack())
    names = [name for name in pack.tensors if name.endswith(("qkv.w", "ao.w", "f1.w", "f2.w"))]
    assert len(names) == 24
    for name in names:
        whole = pack.quantised(name).whole.astype(np.int16)
        assert np.all(np.abs(whole).max(axis=2) == granite_pack.LARGEST)


def test_one_changed_bit_of_the_weights_is_refused(copy: Path) -> None:
    change(copy, at=copy.stat().st_size - 1)
    with pytest.raises(ModelError, match=r"not the pinned .* pip install"):
        read_pack(copy)


def test_one_changed_bit_of_the_tokenizer_is_refused(copy: Path) -> None:
    change(copy, at=granite_pack.TOKENIZER.stop - 1)
    with pytest.raises(ModelError, match="not the pinned"):
        read_tokenizer(copy)


def test_a_truncated_file_is_refused(copy: Path) -> None:
    with copy.open("r+b") as file:
        file.truncate(100)
    with pytest.raises(ModelError, match="not the pinned"):
        read_pack(copy)
    with pytest.raises(ModelError, match="not the pinned"):
        read_tokenizer(copy)


def test_a_missing_file_says_what_to_install(tmp_path: Path) -> None:
    for read in (read_pack, read_tokenizer):
        with pytest.raises(ModelError, match=r"No such file.*pip install .*holographic"):
            read(tmp_path / "absent")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(granite_pack, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"not installed.*pip install"):
        find_pack()


def test_each_group_of_whole_numbers_has_its_own_scale() -> None:
    whole = np.array([[[1, -2], [3, 4]]], dtype=np.int8)
    scales = np.array([[[0.5], [2.0]]], dtype=np.float32)
    assert QuantisedTensor(whole, scales).floats().tolist() == [[0.5, -1.0, 6.0, 8.0]]
