"""Parses Markdown with markdown-it within a limit that counts its work, and no time.

Its time can grow with the square of a file: each line of an open paragraph is tried as the
beginning of another block, once for every quotation and list around it, and lines behind an
inner one are tried again. So attempts are counted. At the limit the text ends.
"""

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, fence
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.link import link
from markdown_it.token import Token

SPAN = "span"  # of a link in its block, in the link's token
MAX_ATTEMPTS_PER_LINE = 40  # ordinary text takes up to 4, the deepest quotation 20
_MIN_ATTEMPTS = 2_000
_LEFT = "attempts_left"


class _TooManyAttemptsError(Exception):
    pass


def parse_tokens(text: str) -> tuple[list[Token], str]:
    """The tokens, and why there are none."""
    lines = text.count("\n") + 1
    try:
        return _parser().parse(text, {_LEFT: _MIN_ATTEMPTS + MAX_ATTEMPTS_PER_LINE * lines}), ""
    except _TooManyAttemptsError:
        return [], "too many lines may begin another block"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.inline.ruler.at("link", _link_with_span)
    # Of the rules that may end a paragraph, this one is tried first, once for every attempt.
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.at("fence", _counted_fence, {"alt": ends})
    return parser


def _counted_fence(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    state.env[_LEFT] -= 1
    if state.env[_LEFT] < 0:
        raise _TooManyAttemptsError
    return fence(state, first, last, silent)


def _link_with_span(state: StateInline, silent: bool) -> bool:
    """As the parser's rule; records each link's span in its token."""
    start, before = state.pos, len(state.tokens)
    is_link = link(state, silent)
    if is_link and not silent:
        opened = next(t for t in state.tokens[before:] if t.type == "link_open")
        opened.meta[SPAN] = (start, state.pos)
    return is_link
