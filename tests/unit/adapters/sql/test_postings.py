"""Postings say which chunks contain a term, and how often."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.indexes.postings import Packed, PostingsWriter, merged
from docgraph.adapters.indexes.segments import pack_numbers, unpack_numbers
from docgraph.adapters.sql.database import DamagedRow
from docgraph.model.tokenize import tokenize

chunk = st.lists(
    st.sampled_from(["the", "The", "node_node", "nodeText", "HTTPServer2", "__", "größe", "ﬁle"])
).map(" ".join)
chunks = st.lists(chunk, max_size=8)


def written(texts: list[str]) -> tuple[list[int], list[Packed]]:
    writer = PostingsWriter()
    for text in texts:
        writer.add(text)
    lengths, packed = writer.packed()
    return lengths.tolist(), list(packed)


def counted(texts: list[str]) -> list[Packed]:
    """The definition: chunk by chunk, word by word."""
    held: dict[str, list[tuple[int, int]]] = {}
    for place, text in enumerate(texts):
        for term, frequency in Counter(tokenize(text)).items():
            held.setdefault(term, []).append((place, frequency))
    return [
        (
            term,
            pack_numbers([place for place, _ in found]),
            pack_numbers([often for _, often in found]),
        )
        for term, found in sorted(held.items())
    ]


@given(chunks)
def test_every_term_of_every_chunk_is_counted(texts: list[str]) -> None:
    lengths, packed = written(texts)
    assert packed == counted(texts)
    assert lengths == [len(tokenize(text)) for text in texts]


@given(chunks, chunks, chunks)
def test_merged_postings_are_those_of_all_chunks_in_their_new_order(
    first: list[str], second: list[str], third: list[str]
) -> None:
    """Segments are numbered 7, 9 and 8, and put in that order."""
    texts = {7: first, 9: second, 8: third}
    offsets = {7: 0, 9: len(first), 8: len(first) + len(second)}
    rows = [
        (term, segment, places, often)
        for segment, texts_of_segment in texts.items()
        for term, places, often in written(texts_of_segment)[1]
    ]
    assert list(merged(sorted(rows), offsets)) == counted(first + second + third)


def test_a_word_and_its_parts_are_separate_terms() -> None:
    _, packed = written(["node_node", "node"])
    assert packed == [
        ("node", pack_numbers([0, 1]), pack_numbers([2, 1])),
        ("node_node", pack_numbers([0]), pack_numbers([1])),
    ]


@given(st.lists(st.integers(0, 2**31 - 1)))
def test_numbers_are_unpacked_as_they_were_packed(numbers: list[int]) -> None:
    assert unpack_numbers(pack_numbers(numbers)).tolist() == numbers


@pytest.mark.parametrize(
    ("largest", "width"), [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4), (2**31 - 1, 4)]
)
def test_numbers_take_as_many_bytes_as_the_largest_needs(largest: int, width: int) -> None:
    assert len(pack_numbers([0, largest, 1])) == 1 + 3 * width


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x03abc", b"\x02abc", b"\x04abc", b"\xff"])
def test_anything_else_is_damage(data: bytes) -> None:
    with pytest.raises(DamagedRow):
        unpack_numbers(data)


def test_a_long_list_is_packed_in_one_width() -> None:
    """Of all chunks of a segment: lists are cut out of one array."""
    writer = PostingsWriter()
    for number in range(300):
        writer.add("often" if number else "often rare")
    _, packed = writer.packed()
    found = {term: (unpack_numbers(a), unpack_numbers(b)) for term, a, b in packed}
    assert found["often"][0].tolist() == list(range(300))
    assert found["rare"][0].tolist() == [0]
    assert np.array_equal(found["often"][1], np.ones(300))
