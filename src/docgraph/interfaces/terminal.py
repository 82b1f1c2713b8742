"""Standard output and standard error: no text from outside controls a terminal.

Names, texts and messages come from documents, servers and users. What a terminal obeys in them, or
what reorders or hides what it shows, is written as a visible escape: `\\x1b`, `\\u202e`. Tabs and
newlines stay. Output is the same whether it goes to a terminal, a pipe or a file.
"""

import logging
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

# C0 but tab and newline, DEL, C1; marks, embeddings, overrides and isolates of direction; line and
# paragraph separators; deprecated and interlinear formats; surrogates; tags.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_BREAK = re.compile("[\n\t]")


def escape_controls(text: str) -> str:
    return _CONTROL.sub(_escape, text)


def escape_line(text: str) -> str:
    """The result is one line: tabs and newlines are escaped too."""
    return _LINE_BREAK.sub(lambda found: repr(found[0])[1:-1], escape_controls(text))


def escape_json(text: str) -> str:
    """JSON with the same value. Controls are inside strings there; white space between values
    stays."""
    return _CONTROL.sub(_escape_in_json, text)


def _escape(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1] if found[0] != "\r" else "\\x0d"


def _escape_in_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


class EscapedStream:
    """A text stream that writes escapes in place of control characters."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        self.raw.write(escape_controls(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def escape_streams() -> None:
    """From now on, for all that this process prints: commands, libraries, logs, tracebacks."""
    sys.stdout, sys.stderr = _escaped(sys.stdout), _escaped(sys.stderr)


def _escaped(stream: TextIO) -> TextIO:
    return stream if isinstance(stream, EscapedStream) else cast("TextIO", EscapedStream(stream))


def raw_stream(*, err: bool = False) -> TextIO:
    """For colours and progress: who writes here escapes texts before."""
    stream = sys.stderr if err else sys.stdout
    return stream.raw if isinstance(stream, EscapedStream) else stream


class LineFormatter(logging.Formatter):
    """A message is one line, whatever names it has; the lines of a traceback follow."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class names it
        return escape_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        return escape_controls(super().format(record))


def log_to_stderr(layout: str = logging.BASIC_FORMAT) -> None:
    """Of libraries only warnings, since their lines may hold a question."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(layout))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def log_server() -> None:
    """The log of `docgraph serve`, on standard error."""
    log_to_stderr("%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("docgraph").setLevel(logging.INFO)
