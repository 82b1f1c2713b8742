"""Text from documents, so written that a model reads it as text and not as a command.

Chat templates mark turns with words such as `<|im_start|>`, and many servers take these for marks
wherever they stand. The page marks its own parts: `## Evidence`, `[7] ` before a passage, the
question behind them. None of that may come out of a document.
"""

import re

# As templates write them: case counts, so that `Array<User>` stays what it is.
_WORDS = (
    *("s", "bos", "eos", "pad", "unk", "mask", "sep", "cls", "sop", "eop", "endoftext", "eod"),
    *("start_of_turn", "end_of_turn", "turn", "think", "thinking", "tool_call", "tool_response"),
    *("tools", "function_call", "function_calls", "system", "assistant"),
    r"(?:BOS|EOS|PAD|UNK|SEP|CLS|MASK|EOP)(?:_TOKEN)?",
    *(r"seed:\w{1,30}", r"reserved_\d{1,6}", r"unused_?\d{1,6}", r"extra_id_\d{1,6}"),
)
_BRACKETED = (
    *("INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT"),
    *("THINK", "ARGS", "CALL_ID", "MODEL_SETTINGS", "IMG", "IMG_BREAK", "IMG_END", "PREFIX"),
    *("MIDDLE", "SUFFIX", "CLS", "SEP", "MASK", "PAD", "UNK", "gMASK", "sMASK", r"unused\d{1,6}"),
)
_BAR = r"[|\uff5c]"
# Each expression begins with a plain character, which is what makes looking for it quick.
_ANGLED = re.compile(
    r"<(?:"
    rf"(?={_BAR}[^<>\s]{{1,60}}>)"  # <|im_start|>, <|turn>, also with wide bars
    rf"|(?=[^<>\s|\uff5c]{{1,60}}{_BAR}>)"  # <turn|>
    rf"|(?=/?(?:{'|'.join(_WORDS)})\s?/?>)"  # <s>, </think>, <end_of_turn>
    r"|(?=</?SYS>>)"  # <<SYS>>
    r")"
)
_SQUARE = re.compile(rf"\[(?=/?(?:{'|'.join(_BRACKETED)})\])")  # [INST], [/TOOL_CALLS]
_BLANK = r"[^\S\n]|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
_FRAME = re.compile(
    rf"\n((?:{_BLANK})*+)(?=\[\d+\]\s|#{{1,6}}[ \t*_]+(?:documents|evidence)\b|question:)",
    re.IGNORECASE,
)


def sanitize(text: str) -> str:
    """A space is put into a mark of a turn, and a backslash before a line like the page's own."""
    lines = text.splitlines()
    known = text.count("\n") + (not text.endswith("\n"))
    if len(lines) != known or "\r" in text:  # Unicode knows other ends of lines
        text = "\n".join(lines)
    return _FRAME.sub(r"\n\1\\", f"\n{_spaced(text)}")[1:]


def sanitize_line(text: str) -> str:
    """Of a title, heading or path: it is one line, and stays one."""
    return _spaced(" ".join(text.split()))


def _spaced(text: str) -> str:
    return _SQUARE.sub("[ ", _ANGLED.sub("< ", text))
