"""Who may read a document, as its front matter states.

`access: finance`, `access: [finance, board]` or `access: {readers: [finance], level: 2}` states
who may read the document. Nobody may read it where an `access` was written but cannot be read:

- the value is wrong, the key occurs twice, or it comes by an alias or a merge (`<<`);
- a block that is no YAML mapping has a line that begins with `access:`, at any indentation;
- the YAML is valid, but such a line at the margin is inside a quotation mark that was left open;
- the block is not recognised: blank lines or a comment precede it, its fence is of another kind
  (`--`, `----`, a dash, `+++`), it is never closed or too long, or follows another block.

A document may also begin with a thematic break. So a block that is no YAML mapping, or is not
recognised, counts only if it is closed and begins right below its fence, or if there are only
keys and their values between its fence and the line. An `access` inside another key is ignored.
"""

import re
import unicodedata
from collections.abc import Iterator

import yaml

from docgraph.ingest.access_mapping import parse_access_mapping, parse_names
from docgraph.ingest.parsed_file import AccessMapping, normalise_field_name
from docgraph.yaml_lines import BadYaml, yaml_lines

MAX_FRONT_MATTER_CHARACTERS = 65_536
_INVISIBLE = r"\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_INVISIBLE_CHARACTER = re.compile(f"[{_INVISIBLE}]")
_LOOKALIKES = str.maketrans("\u0430\u0441\u0435\u0455", "aces")  # Cyrillic, on the same keys
_DASHES = r"(?:[-\u2010-\u2015\u2212\uff0d+]{2,}|[\u2012-\u2015])"
_BLANK_LINES = re.compile(rf"(?:[\s{_INVISIBLE}]*\n)?")
_OPENING = re.compile(
    rf"[{_INVISIBLE}]* {{0,3}}{_DASHES}[^\S\n]*+(?:\#[^\n]*|\w+)?[^\S\n]*(?:\n|\Z)"
)
_CLOSING = re.compile(rf"(?m)^ {{0,3}}(?:{_DASHES}|\.{{3}}|\u2026)[^\S\n]*(?:\n|\Z)")
_ACCESS = r"access[\s\"'_-]*(?:[:=]|\]\s*$)"  # `]` closes the name of a table in TOML
_AT_MARGIN = re.compile(r"[{\[\"']*" + _ACCESS)
_ANYWHERE = re.compile(r"[\s{\[\"',?-]*" + _ACCESS)
_KEY = re.compile(r"[{\[\"']*\w[\w .-]*+[\"'\]]*+\s*+(?:[:=](?:[\s\"'{\[]|$)|(?<=\])$)")
_VALUE_LINE = re.compile(r"[ \t}\]]|-(?:\s|$)")


def read_access(
    text: str, block: re.Match[str] | None, root: yaml.MappingNode | None
) -> AccessMapping | None:
    """A second `access` anywhere is an error."""
    keys = list(_find_keys(root)) if root else []
    start = block.start("yaml") if block else 0
    lines = [_line_number(text, start + key.start_mark.index) for key, _ in keys]
    if unread := _find_unread(text, block, root, frozenset(lines)):
        return AccessMapping(unread, error="this line is not read as front matter")
    if not block or not root or not keys:
        return None
    if len(keys) > 1:
        return AccessMapping(lines[1], error=f"stands already in line {lines[0]}")
    return _read_value(root, *keys[0], block["yaml"], lines[0])


def _find_keys(root: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    """With keys that are merged in, each under its `<<`; anchors can make a cycle."""
    pending, seen = list[tuple[yaml.ScalarNode | None, yaml.Node]]([(None, root)]), set[int]()
    while pending:
        merge, node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += [(merge, item) for item in node.value]
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode):
                continue
            if _is_access(key.value):
                yield merge or key, value
            elif key.value == "<<":
                pending.append((merge or key, value))


def _read_value(
    root: yaml.MappingNode, key: yaml.ScalarNode, value: yaml.Node, written: str, line: int
) -> AccessMapping:
    """The key and its value are parsed again by themselves, as strictly as access.yaml."""
    alone = written[key.start_mark.index : value.end_mark.index]
    alone = f"{{{alone}}}" if root.flow_style else " " * key.start_mark.column + alone
    try:
        parsed = yaml_lines(("\n" * (line - 1) + alone).encode("utf-8", "surrogatepass")).value
        if not isinstance(parsed, dict) or [*map(_is_access, parsed)] != [True]:
            return AccessMapping(line, error="it stands elsewhere and comes by an alias or a merge")
        (only,) = parsed.values()
        if isinstance(only.value, dict):
            return parse_access_mapping(only)
        return AccessMapping(line, parse_names("access", only))
    except BadYaml as error:
        return AccessMapping(error.line, error=error.reason)


def _is_access(name: str) -> bool:
    return normalise_field_name(_fold(name)) == "access"


def _fold(written: str) -> str:
    """As it looks to its author: `ACCESS` is the same word, a wide colon is a colon."""
    if not written.isascii():
        written = _INVISIBLE_CHARACTER.sub("", unicodedata.normalize("NFKC", written))
    return written.casefold().translate(_LOOKALIKES)


def _line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _find_unread(
    text: str, block: re.Match[str] | None, root: yaml.MappingNode | None, keys: frozenset[int]
) -> int:
    """The number of the first line with an `access` that is not read; 0 without one."""
    if block and root:
        margin, lines = " " * root.start_mark.column, _fold_lines(text, *block.span("yaml"))
        inside_quotes = (
            number
            for number, line in lines
            if number not in keys
            and line.startswith(margin)
            and _AT_MARGIN.match(line, len(margin))
        )
        return next(inside_quotes, 0) or _search_blocks(text, block.end(), opened=False)
    start, stop, end = (*block.span("yaml"), block.end()) if block else _find_loose_block(text)
    if end == 0:
        return 0
    if text[start:stop].partition("\n")[0].strip():
        lines = _fold_lines(text, start, stop)
        unread = (number for number, line in lines if _ANYWHERE.match(line))
        return next(unread, 0) or _search_blocks(text, end, opened=False)
    return _search_blocks(text, start, opened=True)


def _find_loose_block(text: str) -> tuple[int, int, int]:
    """What looks like a block: its inside and its end; the inside is empty if it is not closed."""
    opening = _OPENING.match(text, _skip_comments(text, 0))
    if opening is None:
        return 0, 0, 0
    start = opening.end()
    closing = _CLOSING.search(text, start, start + MAX_FRONT_MATTER_CHARACTERS)
    return (start, *closing.span()) if closing else (start, start, start)


def _skip_comments(text: str, at: int) -> int:
    """The position behind blank lines and comments."""
    while True:
        blank = _BLANK_LINES.match(text, at)
        at = blank.end() if blank else at
        end = text.find("-->", at) if text.startswith("<!--", at) else -1
        if end < 0:
            return at
        at = end + len("-->")


def _fold_lines(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    written = text[start:stop].split("\n")
    return ((number, _fold(line)) for number, line in enumerate(written, _line_number(text, start)))


def _search_blocks(text: str, at: int, *, opened: bool) -> int:
    """In block after block: the line of an `access`, 0 where there is none."""
    while True:
        if not opened:
            opening = _OPENING.match(text, _skip_comments(text, at))
            if opening is None:
                return 0
            at = opening.end()
        found, stop = _search_keys(text, at)
        if found >= 0 or stop < 0:
            return _line_number(text, found) if found >= 0 else 0
        opened = not text[at:stop].strip()  # a fence that closes an empty block may open the next
        at = text.find("\n", stop) + 1 or len(text)


def _search_keys(text: str, at: int) -> tuple[int, int]:
    """Where a line among keys alone is an `access`, and where they are closed; -1 for neither."""
    above, keyed = "-", False
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = _fold(text[at:end]).rstrip()
        if _CLOSING.match(line):
            return -1, at
        if _AT_MARGIN.match(line):
            return at, -1
        keyed = keyed or _KEY.match(line) is not None
        if not _is_plausible(line, above, keyed):
            break
        above, at = line, end
    return -1, -1


def _is_plausible(line: str, above: str, keyed: bool) -> bool:
    """Below a blank line, `#` is a heading."""
    if line.startswith("#"):
        return bool(above)
    return not line or (keyed and bool(_KEY.match(line) or _VALUE_LINE.match(line)))
