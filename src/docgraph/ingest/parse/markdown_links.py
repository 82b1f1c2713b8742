"""Where a Markdown document's links stand, to the character."""

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.link import link
from markdown_it.token import Token

from docgraph.ingest.lines import Lines
from docgraph.ingest.parsed import Reference

_SPAN = "span"


def remember_spans(parser: MarkdownIt) -> None:
    """Lets the parser's link rule leave on each link where it began and ended."""
    parser.inline.ruler.at("link", _link_with_span)


def _link_with_span(state: StateInline, silent: bool) -> bool:
    start, before = state.pos, len(state.tokens)
    found = link(state, silent)
    if found and not silent:
        opened = next(t for t in state.tokens[before:] if t.type == "link_open")
        opened.meta[_SPAN] = (start, state.pos)
    return found


def links(tokens: Sequence[Token], text: str, lines: Lines) -> Iterator[Reference]:
    """Links to somewhere, in document order; autolinks and images are none."""
    for block in tokens:
        for token in block.children or ():
            span, target = token.meta.get(_SPAN), str(token.attrs.get("href", ""))
            if span is None or not target or block.map is None:
                continue
            start = _place(block, span[0], text, lines)
            end = max(_place(block, span[1] - 1, text, lines) + 1, start + 1)
            yield Reference("path", target, lines.at(start), start, end)


def _place(block: Token, offset: int, text: str, lines: Lines) -> int:
    """From an offset in a block's content to one in the text.

    A line of content is a line of the text without its indentation and quotation marks.
    """
    assert block.map is not None
    before = block.content.rfind("\n", 0, offset) + 1
    said = _line(block.content, before)
    start = lines.start(block.map[0] + 1 + block.content.count("\n", 0, offset))
    return start + max(_line(text, start).find(said), 0) + offset - before


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]
