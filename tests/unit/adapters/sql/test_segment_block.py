"""Blocks: segments side by side, joined and taken apart without a difference."""

from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.indexes.segment_block import SegmentBlock
from docgraph.adapters.indexes.segments import Segment

documents = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=4)


def segment(begin: int, made: list[tuple[int, int]]) -> Segment:
    """Documents with so many sections and chunks each, numbered from `begin` on."""
    documents: list[tuple[int, int]] = []
    chunks: list[tuple[int, int, int]] = []
    handle = 10 * begin
    for ordinal, (sections, many) in enumerate(made, start=begin):
        documents.append((ordinal, handle))
        handle += sections + 1
        chunks.extend((ordinal, handle - 1, 5 + at) for at in range(many))
    columns = [*np.array(chunks, dtype=np.int64).reshape(-1, 3).T]
    return Segment.of([*columns, *np.array(documents, dtype=np.int64).T])


def columns_of(block: SegmentBlock) -> list[object]:
    found = (getattr(block, field.name) for field in fields(block))
    return [value if isinstance(value, dict | int) else value.tolist() for value in found]


@given(documents, documents, documents)
def test_what_was_joined_comes_apart_again(
    one: list[tuple[int, int]], two: list[tuple[int, int]], three: list[tuple[int, int]]
) -> None:
    alone = {
        n: SegmentBlock.of(n, segment(100 * n, made)) for n, made in enumerate((one, two, three), 1)
    }
    joined = SegmentBlock.joined([SegmentBlock.joined([alone[1], alone[2]]), alone[3]])
    for number, block in alone.items():
        kept = joined.only({number, 99})
        assert kept is not None
        assert columns_of(kept) == columns_of(block)
    assert joined.only({99}) is None
    assert joined.only({1, 2, 3}) is joined
    pair = joined.only({1, 3})
    assert pair is not None
    assert columns_of(pair) == columns_of(SegmentBlock.joined([alone[1], alone[3]]))


@given(documents)
def test_every_chunk_knows_its_document(made: list[tuple[int, int]]) -> None:
    held = segment(3, made)
    block = SegmentBlock.of(7, held)
    ordinals = block.document_ordinals[block.chunk_rows]
    assert ordinals.tolist() == held.chunk_document.tolist()
    assert block.document_handles.tolist() == held.document_handle.tolist()
