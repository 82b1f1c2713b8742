"""Every value of the model is frozen: what one stage returns, no other stage changes."""

import dataclasses
import importlib
import inspect
import pkgutil
from typing import Any

import numpy as np
import pytest

from docgraph import model
from docgraph.model.scoring import ChunkLengths

ANY_SHAPE = "numpy.ndarray[tuple[typing.Any, ...]"  # an array of numbers, whatever its size

MODULES = [f"docgraph.model.{found.name}" for found in pkgutil.iter_modules(model.__path__)]
VALUES = [
    value
    for name in MODULES
    for _, value in inspect.getmembers(importlib.import_module(name), inspect.isclass)
    if dataclasses.is_dataclass(value) and value.__module__ == name
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_a_value_cannot_be_changed(value: Any) -> None:
    assert value.__dataclass_params__.frozen
    assert hasattr(value, "__slots__")


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_a_value_holds_nothing_that_can_be_changed(value: Any) -> None:
    for field in dataclasses.fields(value):
        spelling = str(field.type).replace(ANY_SHAPE, "")
        assert not any(word in spelling for word in ("list", "dict", "set[", "Any")) or (
            "frozenset[" in spelling
        ), field


def test_an_array_in_a_value_is_read_only() -> None:
    lengths = ChunkLengths.of(np.array([1, 2])).lengths
    with pytest.raises(ValueError, match="read-only"):
        lengths[0] = 5
