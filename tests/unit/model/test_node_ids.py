"""Node ids that can be parsed without a store."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docgraph.model.errors import BadInput
from docgraph.model.node import (
    chunk_id,
    decode,
    document_id,
    document_of,
    encode,
    path_of,
    repository_of,
    section_id,
    symbol_id,
)

awkward = st.text("%:#@/a253AF", min_size=1) | st.text(min_size=1)


@given(awkward)
@example("%3A")
@example("%253A%")
@example("a%2:3A")
def test_encoding_and_back_changes_nothing(part: str) -> None:
    assert decode(encode(part)) == part


@given(awkward)
def test_an_encoded_part_contains_no_separator_of_ids(part: str) -> None:
    assert not {":", "#"} & set(encode(part))


@pytest.mark.requirement(1)
@given(awkward, awkward)
def test_an_id_gives_back_its_repository_and_path(repository: str, path: str) -> None:
    node = document_id(repository, path)
    assert (repository_of(node), path_of(node), document_of(node)) == (repository, path, node)


@pytest.mark.requirement(1)
@given(awkward, awkward, awkward, awkward)
def test_two_documents_never_share_an_id(a: str, b: str, c: str, d: str) -> None:
    assert (document_id(a, b) == document_id(c, d)) == ((a, b) == (c, d))


@pytest.mark.requirement(1)
@given(awkward, awkward, awkward)
def test_sections_and_symbols_know_their_document(repository: str, path: str, name: str) -> None:
    node = document_id(repository, path)
    assert document_of(section_id(node, name)) == node
    assert document_of(symbol_id(node, name)) == node
    assert path_of(symbol_id(node, name)) == path


@given(awkward, awkward, st.integers(0, 99), st.integers(0, 99))
def test_two_chunks_never_share_an_id(a: str, b: str, first: int, second: int) -> None:
    assert (chunk_id(a, first) == chunk_id(b, second)) == ((a, first) == (b, second))


def test_ids_read_as_the_design_writes_them() -> None:
    node = document_id("docs", "guide/a:b#c%.md")
    assert node == "docs:guide/a%3Ab%23c%25.md"
    assert section_id(node, "install") == node + "#install"
    assert symbol_id("code:m.py", "A.b") == "code:m.py::A.b"
    assert chunk_id("code:m.py::A.b", 3) == "code:m.py::A.b@3"


@pytest.mark.parametrize(("repository", "path"), [("", "a"), ("r", ""), ("", "")])
def test_an_id_without_a_repository_or_path_is_refused(repository: str, path: str) -> None:
    with pytest.raises(BadInput, match="neither of them empty"):
        document_id(repository, path)
