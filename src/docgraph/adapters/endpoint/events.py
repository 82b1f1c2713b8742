"""Server-sent events: what bytes mean, however they are cut into blocks.

As the HTML standard has it: a line ends with CR, LF or both, a blank line ends an event, its lines
of data are joined, a colon at the start is a comment, and an event without its blank line is none.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docgraph.model.errors import ModelError

LARGEST_LINE = 1024 * 1024
LINE_END = re.compile(rb"\r\n|\r|\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Garbled(ModelError):
    """What came is not what was agreed; the message says what, and not from whom."""


@dataclass(frozen=True, slots=True)
class Event:
    kind: str
    data: str


def events(blocks: Iterable[bytes]) -> Iterator[Event]:
    """Each as soon as its last byte is there; the size of an event is the caller's to limit."""
    kind, data = "message", list[str]()
    for line in _lines(blocks):
        if not line:
            if data:
                yield Event(kind, "\n".join(data))
            kind, data = "message", []
        name, value = _field(line)
        match name:
            case "data":
                data.append(value)
            case "event":
                kind = value
            case "error":  # llama.cpp's own word for an event of this kind
                kind, data = "error", [*data, value]
            case _:
                pass


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """Whole lines only, without their ends."""
    held, returned, first = bytearray(), False, True
    for given in filter(None, blocks):  # an empty block says nothing of what stood before it
        block = given.removeprefix(b"\n") if returned else given  # CR and LF in two blocks
        returned = block.endswith(b"\r")
        *whole, rest = LINE_END.split(block)
        for part in whole:
            line = bytes(held + part)
            held.clear()
            yield _text(line.removeprefix(BYTE_ORDER_MARK) if first else line)
            first = False
        held += rest
        if len(held) > LARGEST_LINE:
            raise Garbled(f"a line of the stream has more than {LARGEST_LINE} bytes")


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Garbled("the stream is not UTF-8") from error


def _field(line: str) -> tuple[str, str]:
    """One space after the colon is not the value's; a comment has no name."""
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")
