"""Every value of the model is frozen: what one room hands over, no other room changes."""

import dataclasses
import importlib
import inspect
import pkgutil
from typing import Any

import pytest

from docgraph import model

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
        assert not any(word in str(field.type) for word in ("list", "dict", "set[", "Any")) or (
            "frozenset[" in str(field.type)
        ), field
