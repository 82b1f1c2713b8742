"""Text from documents, so written that a model reads it as text and not as a command.

Chat templates mark turns with words such as `<|im_start|>`, and many servers take these for marks
wherever they stand. The page marks its own parts: `## Evidence`, and `[7] ` before a passage.
Neither may come out of a document.
"""

import re

_TURNS = (
    *("s", "bos", "eos", "pad", "unk", "mask", "sep", "cls", "endoftext", "eod"),
    *("start_of_turn", "end_of_turn", "turn", "system", "user", "assistant", "model", "tool"),
    *("think", "thinking", "tool_call", "tool_response", "tools", "function_call"),
    *("function_calls", "invoke", "instructions"),
)
_BAR = r"[|\uff5c]"
_CONTROL = re.compile(
    rf"<(?={_BAR}[^<>|\s]{{1,60}}{_BAR}>)"  # <|im_start|>, also with wide bars
    rf"|<(?=/?(?:{'|'.join(_TURNS)})\s*/?>)"  # <s>, </think>, <end_of_turn>
    r"|<(?=</?SYS>>)"  # <<SYS>>
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^( {0,3})(?=\[\d{1,4}\]\s|#{1,6}[ \t]+(?:documents|evidence)\b)",
    re.IGNORECASE | re.MULTILINE,
)


def neutral(text: str) -> str:
    """A space is put into a mark of a turn, and a backslash before a line like the page's own."""
    return _FRAME.sub(r"\1\\", _spaced(text))


def neutral_line(text: str) -> str:
    """Of a title, heading or path: it stays one line, too."""
    return _spaced(re.sub(r"\s*[\r\n]\s*", " ", text))


def _spaced(text: str) -> str:
    return _CONTROL.sub(lambda mark: f"{mark[0]} ", text)
