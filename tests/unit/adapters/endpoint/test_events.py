"""Server-sent events are parsed alike, whatever the blocks of bytes."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.adapters.endpoint.chat_stream import MalformedEvent, ServerSentEvent, read_events

SENT: dict[str, tuple[bytes, list[ServerSentEvent]]] = {
    "one": (b"data: a\n\n", [ServerSentEvent("message", "a")]),
    "two": (
        b"data: a\n\ndata: b\n\n",
        [ServerSentEvent("message", "a"), ServerSentEvent("message", "b")],
    ),
    "lines": (b"data: a\ndata: b\n\n", [ServerSentEvent("message", "a\nb")]),
    "one space is not the value's": (
        b"data:  a \n\ndata:b\n\n",
        [ServerSentEvent("message", " a "), ServerSentEvent("message", "b")],
    ),
    "a colon in a value": (b"data: a: b\n\n", [ServerSentEvent("message", "a: b")]),
    "no colon": (b"data\n\n", [ServerSentEvent("message", "")]),
    "a kind": (
        b"event: x\ndata: a\n\ndata: b\n\n",
        [ServerSentEvent("x", "a"), ServerSentEvent("message", "b")],
    ),
    "a kind without data": (b"event: x\n\ndata: a\n\n", [ServerSentEvent("message", "a")]),
    "comments and other fields": (b": x\nid: 1\nretry: 2\nother\n\n", []),
    "llama.cpp's errors": (b"error: a\n\n", [ServerSentEvent("error", "a")]),
    "no blank line": (b"data: a\n\ndata: b\n", [ServerSentEvent("message", "a")]),
    "CR": (
        b"data: a\rdata: b\r\rdata: c\r\r",
        [ServerSentEvent("message", "a\nb"), ServerSentEvent("message", "c")],
    ),
    "CRLF": (b"data: a\r\ndata: b\r\n\r\n", [ServerSentEvent("message", "a\nb")]),
    "all": (b"data: a\r\ndata: b\rdata: c\n\r\n", [ServerSentEvent("message", "a\nb\nc")]),
    "LF and CR": (
        b"data: a\n\rdata: b\n\n",
        [ServerSentEvent("message", "a"), ServerSentEvent("message", "b")],
    ),
    "a byte order mark": (b"\xef\xbb\xbfdata: a\n\n", [ServerSentEvent("message", "a")]),
    "another mark": (b"\n\xef\xbb\xbfdata: a\n\n", []),
    "no line ends": (
        "data: a\u2028b\x0bc\x85\n\n".encode(),
        [ServerSentEvent("message", "a\u2028b\x0bc\x85")],
    ),
}


@pytest.mark.parametrize(("sent", "expected"), SENT.values(), ids=SENT.keys())
def test_events_are_parsed_by_the_standard(sent: bytes, expected: list[ServerSentEvent]) -> None:
    assert list(read_events([sent])) == expected
    assert list(read_events(sent[at : at + 1] for at in range(len(sent)))) == expected


WORDS = ("data: ä", "data:世", "data", ": x", "event: e", "error: f", "\r", "\n", "\r\n", "😀")


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.lists(st.integers(0, 60), max_size=6))
def test_the_blocks_of_bytes_do_not_matter(words: list[str], cuts: list[int]) -> None:
    sent = "".join(words).encode()
    bounds = [0, *sorted(min(cut, len(sent)) for cut in cuts), len(sent)]
    parts = [sent[start:stop] for start, stop in pairwise(bounds)]
    assert list(read_events(parts)) == list(read_events([sent]))


def test_an_empty_block_between_cr_and_lf_changes_nothing() -> None:
    assert list(read_events([b"data: a\r", b"", b"\n"])) == []


def test_an_event_is_given_as_soon_as_its_last_byte_has_arrived() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"data: a\r\n\r"
        raise AssertionError("another block was read")

    assert next(read_events(blocks())) == ServerSentEvent("message", "a")


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    with pytest.raises(MalformedEvent, match="not UTF-8"):
        list(read_events([b"data: \xff\n\n"]))
