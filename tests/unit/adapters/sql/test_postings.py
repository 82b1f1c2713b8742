"""Postings say which chunks contain a term, and how often."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.indexes.postings import Packed, PostingsWriter, merged
from docgraph.adapters.indexes.segments import pack
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
        (term, pack([place for place, _ in found]), pack([often for _, often in found]))
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
        ("node", pack([0, 1]), pack([2, 1])),
        ("node_node", pack([0]), pack([1])),
    ]
