"""Errors are docgraph's own, and each says what it means."""

import inspect

import pytest

from docgraph.model import errors

EVERY = [found for _, found in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", EVERY)
def test_every_error_is_caught_as_one_kind_and_explains_itself(error: type[Exception]) -> None:
    assert issubclass(error, errors.DocgraphError)
    assert error.__doc__
    assert error.__doc__.endswith(".")
