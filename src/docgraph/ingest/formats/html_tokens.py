"""Tokenizes HTML into tags and text with their offsets, however broken, in one pass.

Not the standard library's parser: its time grows with the square of unclosed tags and comments,
it raises on `<![x[`, and its result for broken files changes with Python's version.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_MARKUP = re.compile(r"<(?:(/?)([A-Za-z][^\s/>]*+)|[!?/])")
# Up to the `>` that ends a tag: one inside a quoted value does not.
_REST = re.compile(r"""(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')|["'=])*+""")
_ATTRIBUTE = re.compile(
    r"""([^\s=/>"'][^\s=/>]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+"""
)
# The content of these is no markup; only that of a title is read.
_RAW = ("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp")
RAW_ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW}
_READABLE = frozenset({"title", "xmp"})


class Token(NamedTuple):
    """A tag from `start` to `end`, its attributes from `head`; text where it has no name.

    `alone` is a tag that closes itself.
    """

    name: str
    closing: bool
    alone: bool
    start: int
    head: int
    end: int


def make_text_token(start: int, end: int) -> Token:
    return Token("", False, False, start, start, end)


def tokenize(text: str) -> Iterator[Token]:
    """In order; comments, declarations, scripts and styles are left out."""
    at = 0
    missing: set[str] = (
        set()
    )  # ends that do not follow any more, so that they are not searched again
    while match := _MARKUP.search(text, at):
        if match.start() > at:
            yield make_text_token(at, match.start())
        name = match[2]
        if name is None:
            at, inside = _skip_declaration(text, match.start(), missing)
            if inside:
                yield make_text_token(*inside)
            continue
        tag = _read_tag(text, match, name.lower())
        if tag is None:
            yield make_text_token(match.start(), len(text))
            return
        yield tag
        at = tag.end
        if tag.name in RAW_ENDS and not tag.closing and not tag.alone:
            end = _find_raw_end(text, tag, missing)
            if tag.name in _READABLE and end > at:
                yield make_text_token(at, end)
            at = end
    if at < len(text):
        yield make_text_token(at, len(text))


def read_attributes(text: str, token: Token) -> dict[str, str]:
    """Names in lower case; of two with one name the first counts. Values are not decoded."""
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text, token.head, token.end - 1):
        name, double, single, bare = match.groups()
        attributes.setdefault(name.lower(), double or single or bare or "")
    return attributes


def _read_tag(text: str, match: re.Match[str], name: str) -> Token | None:
    rest = _REST.match(text, match.end())
    end = rest.end() if rest else match.end()
    if end == len(text):
        return None
    # In `<a href=b/>` the slash is part of the address.
    alone = text[end - 1] == "/" and (end - 1 == match.end() or text[end - 2] in " \t\n\"'")
    return Token(name, bool(match[1]), alone, match.start(), match.end(), end + 1)


def _skip_declaration(
    text: str, start: int, missing: set[str]
) -> tuple[int, tuple[int, int] | None]:
    """Where a comment, declaration or instruction ends, and the text inside it, if it is text."""
    if text.startswith(("<!-->", "<!--->"), start):
        return text.index(">", start) + 1, None
    if text.startswith("<!--", start) and (end := _find(text, "-->", start + 4, missing)) >= 0:
        return end + 3, None
    opening = "<![CDATA["
    if text.startswith(opening, start) and (end := _find(text, "]]>", start, missing)) >= 0:
        return end + 3, (start + len(opening), end)
    end = _find(text, ">", start, missing)
    return (end + 1, None) if end >= 0 else (len(text), (start, len(text)))


def _find_raw_end(text: str, opened: Token, missing: set[str]) -> int:
    """An element without an end is dropped, as in browsers; a title without one is no title."""
    if opened.name not in missing:
        match = RAW_ENDS[opened.name].search(text, opened.end)
        if match:
            return match.start()
        missing.add(opened.name)
    return opened.end if opened.name in _READABLE else len(text)


def _find(text: str, mark: str, start: int, missing: set[str]) -> int:
    if mark in missing:
        return -1
    at = text.find(mark, start)
    if at < 0:
        missing.add(mark)
    return at
