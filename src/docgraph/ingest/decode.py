"""Bytes to text: UTF-8 without BOM, with newlines alone at the ends of lines."""

import codecs

from docgraph.ports.source import Problem


def decoded(path: str, data: bytes, declared: str = "") -> str | Problem:
    """Nothing is guessed or replaced: what is not UTF-8 text is named with its place.

    `declared` is the charset that a file which is not UTF-8 gives itself, by Python's name.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Problem(path, "UTF-16, not UTF-8; save it as UTF-8")
    if (place := data.find(b"\0")) >= 0:
        return Problem(path, f"binary: a NUL at byte {place}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if declared:
            return _as_declared(path, data, declared)
        # utf-8-sig counts from behind the mark
        skipped = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        place = error.start + skipped
        return Problem(path, f"not UTF-8: 0x{data[place]:02x} at byte {place}")
    return with_newlines(text)


def with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _as_declared(path: str, data: bytes, charset: str) -> str | Problem:
    try:
        return with_newlines(data.decode(charset))
    except UnicodeDecodeError as error:
        wrong = f"0x{data[error.start]:02x} at byte {error.start}"
        return Problem(path, f"neither UTF-8 nor {charset}, as it declares: {wrong}")
