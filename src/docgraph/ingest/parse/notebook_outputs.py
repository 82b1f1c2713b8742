"""What the code of a notebook printed: text alone, and not much of it."""

import re
from collections.abc import Iterator, Mapping

from docgraph.ingest.decode import with_newlines

_LONGEST = 1_000  # of one cell
_ENOUGH = 100_000  # of one output, before it is cleaned
_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_OVERWRITTEN = re.compile(r"^.*\r(?!$)", re.MULTILINE)  # progress bars write over themselves
_ADDRESS = re.compile(r"\[?<.* at 0x[0-9A-Fa-f]+>.*", re.DOTALL)  # says nothing to a reader


def held_text(raw: object) -> str:
    """Text that a notebook keeps as a string or as a list of lines."""
    lines = raw if isinstance(raw, list) else [raw]
    text = "".join(line for line in lines if isinstance(line, str)).replace("\0", "")
    # JSON may hold halves of characters
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def printed(outputs: object) -> str:
    """The outputs of a cell, cut at the end of a line where they are long."""
    whole = "\n".join(_shown(outputs if isinstance(outputs, list) else []))
    if len(whole) <= _LONGEST:
        return whole
    cut = whole.rfind("\n", _LONGEST // 2, _LONGEST)
    return f"{whole[: cut if cut > 0 else _LONGEST]}\n…"


def _shown(outputs: list[object]) -> Iterator[str]:
    for output in outputs:
        said = _said(output) if isinstance(output, Mapping) else ""
        plain = _STEERING.sub("", _OVERWRITTEN.sub("", said[:_ENOUGH].replace("\r\n", "\n")))
        if plain.strip() and not _ADDRESS.fullmatch(plain.strip()):
            yield plain.strip("\n")


def _said(output: Mapping[str, object]) -> str:
    """Of nbformat 4 or 3. What stands in for an image is not shown, of an error its message."""
    if "ename" in output:
        return f"{held_text(output['ename'])}: {held_text(output.get('evalue'))}"
    data = output.get("data")
    forms = data if isinstance(data, Mapping) else output
    if any(form.startswith(("image", "png", "jpeg", "svg")) for form in forms):
        return ""
    return held_text(forms.get("text/plain", forms.get("text")))


def source_text(raw: object) -> str:
    return with_newlines(held_text(raw))
