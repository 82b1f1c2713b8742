"""Values of a damaged store: what docgraph did not write is a DamagedRow, and nothing else."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.indexes.segment_block import SegmentBlock
from docgraph.adapters.indexes.segments import Segment, unpack_numbers
from docgraph.adapters.indexes.version_vectors import stacked_vectors
from docgraph.adapters.sql.access_rows import statements_from_json
from docgraph.adapters.sql.checksums import (
    checksum,
    covered_columns,
    is_intact,
    require_intact,
    with_checksum,
)
from docgraph.adapters.sql.database import DamagedRow, next_page, require_types
from docgraph.adapters.sql.stored_json import load_list, load_tuples, load_values

SEGMENT = Segment.of(
    [
        *np.array([[7, 70, 12], [7, 71, 9], [8, 80, 4]], dtype=np.int64).T,
        *np.array([[7, 70], [8, 80]], dtype=np.int64).T,
    ]
)
INTEGER: frozenset[type] = frozenset({int})
TEXT: frozenset[type] = frozenset({str, type(None)})


def test_a_segment_reads_back_as_it_was_written() -> None:
    read = Segment.from_bytes(SEGMENT.to_bytes())
    for name in Segment.__slots__:
        assert getattr(read, name).tolist() == getattr(SEGMENT, name).tolist()


@given(st.integers(0, len(SEGMENT.to_bytes()) - 1), st.integers(1, 255))
def test_a_flipped_byte_of_a_segment_gives_a_segment_or_damage(place: int, mask: int) -> None:
    data = bytearray(SEGMENT.to_bytes())
    data[place] ^= mask
    try:
        segment = Segment.from_bytes(bytes(data))
        SegmentBlock.of(1, segment)
    except DamagedRow:
        return
    assert len(segment.to_bytes()) == len(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_segment_or_damage(data: bytes) -> None:
    for read in (Segment.from_bytes, unpack_numbers):
        try:
            read(data)
        except DamagedRow:
            continue


LOADS: list[Callable[[str], object]] = [
    load_list,
    partial(load_values, kind=str),
    lambda text: load_tuples(text, str, int),
    statements_from_json,
]


@given(st.text(max_size=30) | st.sampled_from(["[" * 20_000, "[[]]", "{}", "[1]", '["a", 1]', "3"]))
def test_any_text_is_a_list_or_damage(text: str) -> None:
    for load in LOADS:
        try:
            load(text)
        except DamagedRow:
            continue


def test_vectors_of_another_width_are_damage() -> None:
    assert stacked_vectors([b"\1\0\2\0"], 2).tolist() == [[1, 2]]
    assert stacked_vectors([], 2).shape == (0, 2)
    with pytest.raises(DamagedRow):
        stacked_vectors([b"\1\0\2\0", b"\1\0"], 2)


def test_values_of_another_type_are_damage() -> None:
    require_types([(1, "a"), (2, None)], (INTEGER, TEXT))
    require_types([], (INTEGER, TEXT))
    for row in ((None, "a"), ("1", "a"), (1.0, "a"), (1, b"a"), (1,), (1, "a", 2)):
        with pytest.raises(DamagedRow):
            require_types([(1, "a"), row] if len(row) == 2 else [row], (INTEGER, TEXT))


def test_pages_go_on_or_are_damage() -> None:
    assert next_page(4, 9) == 9
    assert next_page("a", "b") == "b"
    for last in (4, 3):
        with pytest.raises(DamagedRow):
            next_page(4, last)


def test_a_checksum_is_the_same_everywhere() -> None:
    """In every version of Python, and on every machine: a store is verified by another."""
    values = ("é \U0001fae8 \x00", 2**62, -1, None, 0.5, b"\xff" * 9)
    assert checksum("documents", values) == 1_009_983_014
    assert checksum("vectors", values) != checksum("documents", values)


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text() | st.binary(), min_size=1),
    st.data(),
)
def test_a_changed_value_has_another_checksum(row: list[object], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(row) - 1))
    other = data.draw((st.none() | st.integers(0, 9) | st.text()).filter(lambda v: v != row[at]))
    changed = [*row[:at], other, *row[at + 1 :]]
    assert is_intact("t", (*row, checksum("t", row)))
    assert not is_intact("t", (*changed, checksum("t", row)))


def test_what_is_covered_is_what_the_query_selects() -> None:
    assert covered_columns("manual_access_rules") == ("tenant", "repository", "path", "rule")
    assert covered_columns("chunk_vectors")[-2:] == ("vector_id", "hash")
    assert covered_columns("api_keys")[-1] == "secret_hash"
    row = with_checksum("access_classes", {"rule": "[]"})
    require_intact("access_classes", [tuple(row.values())])
    with pytest.raises(DamagedRow, match="access_classes"):
        require_intact("access_classes", [("[1]", row["checksum"])])
