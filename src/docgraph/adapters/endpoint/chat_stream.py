"""A chat completion: its pieces from a stream of events, or from one JSON object."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from docgraph.adapters.endpoint.http_client import ConnectionDropped, StreamInterrupted
from docgraph.model.errors import ModelError

# Server-sent events, parsed from blocks of any size.


MAX_LINE_BYTES = 1024 * 1024
LINE_END = re.compile(rb"\r\n|\r|\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class MalformedEvent(ModelError):
    """Not allowed by the protocol; the caller adds the address to the message."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    kind: str
    data: str


def read_events(blocks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
    """Each as soon as its last byte has arrived; the caller limits the size of an event."""
    kind, data = "message", list[str]()
    for line in _lines(blocks):
        if not line:
            if data:
                yield ServerSentEvent(kind, "\n".join(data))
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
    pending, after_cr, first = bytearray(), False, True
    for received in filter(None, blocks):  # an empty block does not end what came before it
        block = received.removeprefix(b"\n") if after_cr else received  # CR and LF in two blocks
        after_cr = block.endswith(b"\r")
        *whole, rest = LINE_END.split(block)
        for part in whole:
            line = bytes(pending + part)
            pending.clear()
            yield _text(line.removeprefix(BYTE_ORDER_MARK) if first else line)
            first = False
        pending += rest
        if len(pending) > MAX_LINE_BYTES:
            raise MalformedEvent(f"a line of the stream has more than {MAX_LINE_BYTES} bytes")


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedEvent("the stream is not UTF-8") from error


def _field(line: str) -> tuple[str, str]:
    """One space after the colon is not the value's; a comment has no name."""
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")


# A chat completion from such events, or from one object.


MAX_TEXT_LENGTH = 1024 * 1024  # characters
MAX_STREAM_BYTES = 64 * 1024 * 1024  # bytes: each piece comes with hundreds of them around it
DONE = "[DONE]"
NOTHING = object()
DONE_REASON = "done"  # [DONE], or a whole object, without a reason


class ChatAnswer:
    """`pieces` can be read once; then `text` is all of them, and `finish` why the server ended.

    `error_message` shortens a server's error message and removes the key.
    An answer is complete when the server gave a reason to finish, or sent [DONE].
    """

    def __init__(self, blocks: Iterable[bytes], error_message: Callable[[str], str]) -> None:
        self.text = ""
        self.finish = ""
        self._blocks = _limit_bytes(blocks)
        self._error_message = error_message

    def pieces(self) -> Iterator[str]:
        """None is empty. An error is raised after all pieces that came before it."""
        pieces, size = list[str](), 0
        for piece in _join_surrogates(self._contents()):
            size += len(piece)
            if size > MAX_TEXT_LENGTH:
                raise MalformedEvent(f"the answer has more than {MAX_TEXT_LENGTH} characters")
            pieces.append(piece)
            yield piece
        self.text = "".join(pieces)

    def _contents(self) -> Iterator[str]:
        """A server that does not stream answers with one object: no event begins with a brace."""
        first = next((block for block in self._blocks if block.strip()), b"")
        if not first:
            raise ConnectionDropped("the server said nothing")
        blocks = chain([first], self._blocks)
        if not first.lstrip().startswith(b"{"):
            yield from self._stream_texts(read_events(blocks))
            return
        choice = self._choice(_parse_object(b"".join(blocks)))
        if choice is None:
            raise MalformedEvent('the answer has no "choices"')
        yield self._content(choice, choice.get("message"))
        self.finish = self.finish or DONE_REASON

    def _stream_texts(self, events: Iterator[ServerSentEvent]) -> Iterator[str]:
        any_event = False
        try:
            for event in events:
                any_event = True
                if event.data.strip() == DONE:
                    self.finish = self.finish or DONE_REASON
                    return
                yield self._event_text(event)
        except StreamInterrupted:
            if not self.finish:
                raise
        if not any_event:
            raise MalformedEvent("the answer is neither JSON nor a stream of events")
        if not self.finish:
            raise StreamInterrupted("the stream ended without a reason to finish")

    def _event_text(self, event: ServerSentEvent) -> str:
        """Empty for an event that reports usage, or only keeps the connection alive."""
        if event.kind == "error":
            raise MalformedEvent(f"the server broke off: {self._error_message(event.data)}")
        choice = self._choice(_parse_object(event.data)) if event.data.strip() else None
        return self._content(choice, choice.get("delta") or {}) if choice else ""

    def _choice(self, answer: dict[str, object]) -> dict[str, object] | None:
        """The first, where there are any."""
        if answer.get("error") or answer.get("object") == "error":
            raise MalformedEvent(f"the server broke off: {self._error_message(json.dumps(answer))}")
        choices = answer.get("choices") or []
        if not isinstance(choices, list) or not all(isinstance(one, dict) for one in choices):
            raise MalformedEvent('"choices" is not a list of objects')
        return next((one for one in choices if one.get("index") in (0, None)), None)

    def _content(self, choice: dict[str, object], part: object) -> str:
        content = part.get("content") if isinstance(part, dict) else NOTHING
        if not isinstance(content, str | None):
            raise MalformedEvent('the "content" of the answer is not text')
        reason = choice.get("finish_reason")
        self.finish = reason if isinstance(reason, str) and reason else self.finish
        return content or ""


def _parse_object(data: str | bytes) -> dict[str, object]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MalformedEvent(f"the answer is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise MalformedEvent("the answer is not an object of JSON")
    return answer


def _limit_bytes(blocks: Iterable[bytes]) -> Iterator[bytes]:
    left = MAX_STREAM_BYTES
    for block in blocks:
        left -= len(block)
        if left < 0:
            raise MalformedEvent(f"the answer has more than {MAX_STREAM_BYTES} bytes")
        yield block


def _join_surrogates(pieces: Iterable[str]) -> Iterator[str]:
    """A character beyond the first 65,536 may come in two halves; a lone half is no character."""
    half = ""
    for piece in pieces:
        text = half + piece
        half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        if whole := text.removesuffix(half):
            yield whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if half:
        yield "\ufffd"
