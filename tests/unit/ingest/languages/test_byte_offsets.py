"""Bytes and characters are counted alike."""

from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.languages.source import ByteOffsets


@given(st.text(alphabet="aé日😀\n"))
def test_a_byte_offset_becomes_its_characters(text: str) -> None:
    character_offset = ByteOffsets(text.encode())
    for offset in range(len(text) + 1):
        assert character_offset(len(text[:offset].encode())) == offset
