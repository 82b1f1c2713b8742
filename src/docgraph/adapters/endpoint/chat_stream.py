"""A chat completion's answer: its pieces out of a stream of events, or out of one JSON object."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from docgraph.adapters.endpoint.http_client import Dropped, Event, Garbled, Interrupted, events

LARGEST_TEXT = 1024 * 1024  # characters
LARGEST_STREAM = 64 * 1024 * 1024  # bytes: each piece comes with hundreds of them around it
DONE = "[DONE]"
NOTHING = object()
ENDED = "done"  # [DONE], or a whole object, without a reason


class ChatAnswer:
    """`pieces` can be read once; then `text` is all of them, and `finish` why the server ended.

    `in_words` makes a server's complaint short, and leaves out what nobody else may read.
    An answer is whole when the server gave a reason to finish, or said [DONE]; else it is half.
    """

    def __init__(self, blocks: Iterable[bytes], in_words: Callable[[str], str]) -> None:
        self.text = ""
        self.finish = ""
        self._blocks = _limited(blocks)
        self._in_words = in_words

    def pieces(self) -> Iterator[str]:
        """None is empty. Garbled or Interrupted is raised when all that came before was given."""
        heard, size = list[str](), 0
        for piece in _joined_surrogates(self._contents()):
            size += len(piece)
            if size > LARGEST_TEXT:
                raise Garbled(f"the answer has more than {LARGEST_TEXT} characters")
            heard.append(piece)
            yield piece
        self.text = "".join(heard)

    def _contents(self) -> Iterator[str]:
        """A server that does not stream answers with one object: no event begins with a brace."""
        first = next((block for block in self._blocks if block.strip()), b"")
        if not first:
            raise Dropped("the server said nothing")
        blocks = chain([first], self._blocks)
        if not first.lstrip().startswith(b"{"):
            yield from self._streamed(events(blocks))
            return
        choice = self._choice(_parsed(b"".join(blocks)))
        if choice is None:
            raise Garbled('the answer has no "choices"')
        yield self._content(choice, choice.get("message"))
        self.finish = self.finish or ENDED

    def _streamed(self, events: Iterator[Event]) -> Iterator[str]:
        any_event = False
        try:
            for event in events:
                any_event = True
                if event.data.strip() == DONE:
                    self.finish = self.finish or ENDED
                    return
                yield self._told(event)
        except Interrupted:
            if not self.finish:
                raise
        if not any_event:
            raise Garbled("the answer is neither JSON nor a stream of events")
        if not self.finish:
            raise Interrupted("the stream ended without a reason to finish")

    def _told(self, event: Event) -> str:
        """Nothing, if it tells what the answer cost, or only keeps the connection alive."""
        if event.kind == "error":
            raise Garbled(f"the server broke off: {self._in_words(event.data)}")
        choice = self._choice(_parsed(event.data)) if event.data.strip() else None
        return self._content(choice, choice.get("delta") or {}) if choice else ""

    def _choice(self, answer: dict[str, object]) -> dict[str, object] | None:
        """The first, where there are any."""
        if answer.get("error") or answer.get("object") == "error":
            raise Garbled(f"the server broke off: {self._in_words(json.dumps(answer))}")
        choices = answer.get("choices") or []
        if not isinstance(choices, list) or not all(isinstance(one, dict) for one in choices):
            raise Garbled('"choices" is not a list of objects')
        return next((one for one in choices if one.get("index") in (0, None)), None)

    def _content(self, choice: dict[str, object], part: object) -> str:
        content = part.get("content") if isinstance(part, dict) else NOTHING
        if not isinstance(content, str | None):
            raise Garbled('the "content" of the answer is not text')
        reason = choice.get("finish_reason")
        self.finish = reason if isinstance(reason, str) and reason else self.finish
        return content or ""


def _parsed(data: str | bytes) -> dict[str, object]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Garbled(f"the answer is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise Garbled("the answer is not an object of JSON")
    return answer


def _limited(blocks: Iterable[bytes]) -> Iterator[bytes]:
    left = LARGEST_STREAM
    for block in blocks:
        left -= len(block)
        if left < 0:
            raise Garbled(f"the answer has more than {LARGEST_STREAM} bytes")
        yield block


def _joined_surrogates(pieces: Iterable[str]) -> Iterator[str]:
    """A character beyond the first 65,536 may come in two halves; a lone half is no character."""
    held = ""
    for piece in pieces:
        text = held + piece
        held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        if whole := text.removesuffix(held):
            yield whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if held:
        yield "\ufffd"
