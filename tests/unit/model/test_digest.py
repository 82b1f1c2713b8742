"""One canonical form: equal values, equal bytes."""

import json
import subprocess
import sys
from collections.abc import Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.digest import canonical, digest, digest_bytes, plain

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)

IN_ANOTHER_PROCESS = """
from docgraph.model.access import AccessRule
from docgraph.model.digest import digest
print(digest(AccessRule("t", frozenset("abcdefgh"), frozenset("xyz"))))
"""


@dataclass(frozen=True)
class Pair:
    left: object
    right: object


@given(st.dictionaries(st.text(), leaves))
def test_the_order_of_keys_does_not_count(mapping: dict[str, object]) -> None:
    turned = dict(reversed(mapping.items()))
    assert canonical(turned) == canonical(mapping)


@given(st.frozensets(st.text()))
def test_a_set_becomes_a_sorted_list(members: frozenset[str]) -> None:
    assert plain(members) == sorted(members)


@given(values)
def test_the_bytes_are_json_that_reads_back_equal(value: object) -> None:
    assert json.loads(canonical(value).decode("utf-8", "surrogatepass")) == value


def test_a_dataclass_becomes_an_object_and_a_tuple_a_list() -> None:
    assert canonical(Pair((1, "é"), {"b": None})) == '{"left":[1,"é"],"right":{"b":null}}'.encode()


def test_what_lies_inside_becomes_plain_too() -> None:
    deep = [Pair(1, 2), ({"a": Pair(3, frozenset({4}))},)]
    assert plain(deep) == [{"left": 1, "right": 2}, [{"a": {"left": 3, "right": [4]}}]]
    assert plain(MappingProxyType({"a": (1,)})) == {"a": [1]}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_know_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(value)


def test_half_a_surrogate_pair_still_has_bytes() -> None:
    assert digest("\ud800") == digest_bytes(b'"\xed\xa0\x80"')


@pytest.mark.requirement(23)
@pytest.mark.parametrize("seed", ["0", "1", "424242"])
def test_a_digest_is_the_same_in_every_process(monkeypatch: pytest.MonkeyPatch, seed: str) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", seed)
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest(
        {
            "labels": ["x", "y", "z"],
            "level": 0,
            "readers": list("abcdefgh"),
            "tenant": "t",
        }
    )


class Rank(IntEnum):
    FIRST = 1


class Point(NamedTuple):
    x: int
    y: object


@dataclass(frozen=True)
class Alone:
    only: object


@dataclass(frozen=True)
class Empty:
    pass


def reference_plain(value: object) -> Any:
    """The same rules without caching."""
    if isinstance(value, list | tuple):
        return [reference_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: reference_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): reference_plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(reference_plain(item) for item in value)
    return value


keys = st.text() | st.integers() | st.booleans() | st.none()
anything = st.recursive(
    leaves | st.just(Rank.FIRST) | st.just(Empty()) | st.frozensets(st.text()),
    lambda inner: (
        st.lists(inner).map(tuple)
        | st.dictionaries(keys, inner).map(MappingProxyType)
        | st.dictionaries(keys, inner)
        | st.builds(Pair, inner, inner)
        | st.builds(Alone, inner)
        | st.builds(Point, st.integers(), inner)
    ),
    max_leaves=20,
)


@given(anything)
def test_cached_converters_give_the_same_result_as_a_plain_recursion(value: object) -> None:
    assert plain(value) == reference_plain(value)
    assert json.dumps(plain(value)) == json.dumps(reference_plain(value))
