"""Sanitizes text from documents, so that a model does not read it as instructions.

Chat templates mark turns with special tokens such as `<|im_start|>`, and many servers parse them
wherever they occur. The context has marks of its own: `## Evidence`, `[7] ` before a chunk, the
question at the end. A document must not be able to write any of these.
"""

import re

# In the case that templates use, so that `Array<User>` is left alone.
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
# Each expression begins with a literal character, which makes the search fast.
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
    """Puts a space into special tokens, and a backslash before lines like the context's own."""
    lines = text.splitlines()
    newlines = text.count("\n") + (not text.endswith("\n"))
    if len(lines) != newlines or "\r" in text:  # Unicode has other line separators
        text = "\n".join(lines)
    return _FRAME.sub(r"\n\1\\", f"\n{_break_tokens(text)}")[1:]


def sanitize_line(text: str) -> str:
    """For a title, heading or path: the result is one line."""
    return _break_tokens(" ".join(text.split()))


def _break_tokens(text: str) -> str:
    return _SQUARE.sub("[ ", _ANGLED.sub("< ", text))
