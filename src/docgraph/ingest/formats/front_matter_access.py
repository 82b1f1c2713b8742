"""Who may read a document, as its front matter says.

`access: finance`, `access: [finance, board]` or `access: {readers: [finance], level: 2}` says who
may read the document. Nobody may where an author plainly said so in vain:

- the value is wrong, the key stands twice, or it comes by an alias or a merge (`<<`);
- a block that is no YAML mapping has a line that begins with `access:`, however far indented;
- the YAML is sound, but an open quotation mark has swallowed such a line at the margin;
- the block is not seen as one: blank lines or a comment stand above it, its fence is of another
  kind (`--`, `----`, a dash, `+++`), it is never closed or too long, or follows another block.

A document may just begin with a thematic break, so a block that is no YAML mapping, or is not
seen as one, counts only if it is closed and begins right below its fence, or if nothing but keys,
and what belongs to keys, stands between its fence and the line. An `access` inside another key
is none of ours.
"""

import re
import unicodedata
from collections.abc import Iterator

import yaml

from docgraph.ingest.access_mapping import names, rule_of_mapping
from docgraph.ingest.parsed_file import AccessMapping, normalise_field_name
from docgraph.yaml_lines import BadYaml, yaml_lines

LONGEST = 65_536
_UNSEEN = r"\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
_HIDDEN = re.compile(f"[{_UNSEEN}]")
_LOOKALIKES = str.maketrans("\u0430\u0441\u0435\u0455", "aces")  # Cyrillic, on the same keys
_DASHES = r"(?:[-\u2010-\u2015\u2212\uff0d+]{2,}|[\u2012-\u2015])"
_BLANK_LINES = re.compile(rf"(?:[\s{_UNSEEN}]*\n)?")
_OPENING = re.compile(rf"[{_UNSEEN}]* {{0,3}}{_DASHES}[^\S\n]*+(?:\#[^\n]*|\w+)?[^\S\n]*(?:\n|\Z)")
_CLOSING = re.compile(rf"(?m)^ {{0,3}}(?:{_DASHES}|\.{{3}}|\u2026)[^\S\n]*(?:\n|\Z)")
_ACCESS = r"access[\s\"'_-]*(?:[:=]|\]\s*$)"  # `]` closes the name of a table in TOML
_AT_MARGIN = re.compile(r"[{\[\"']*" + _ACCESS)
_ANYWHERE = re.compile(r"[\s{\[\"',?-]*" + _ACCESS)
_KEY = re.compile(r"[{\[\"']*\w[\w .-]*+[\"'\]]*+\s*+(?:[:=](?:[\s\"'{\[]|$)|(?<=\])$)")
_OF_A_KEY = re.compile(r"[ \t}\]]|-(?:\s|$)")


def access_of(
    text: str, block: re.Match[str] | None, root: yaml.MappingNode | None
) -> AccessMapping | None:
    """Two words are too many, wherever they stand."""
    keys = list(_keys(root)) if root else []
    start = block.start("yaml") if block else 0
    lines = [_line(text, start + key.start_mark.index) for key, _ in keys]
    if unread := _unread(text, block, root, frozenset(lines)):
        return AccessMapping(unread, wrong="this line is not read as front matter")
    if not block or not root or not keys:
        return None
    if len(keys) > 1:
        return AccessMapping(lines[1], wrong=f"stands already in line {lines[0]}")
    return _read(root, *keys[0], block["yaml"], lines[0])


def _keys(root: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
    """Also what is merged in, under the `<<` that does it; anchors can make a circle."""
    waiting, seen = list[tuple[yaml.ScalarNode | None, yaml.Node]]([(None, root)]), set[int]()
    while waiting:
        merge, node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += [(merge, item) for item in node.value]
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode):
                continue
            if _is_access(key.value):
                yield merge or key, value
            elif key.value == "<<":
                waiting.append((merge or key, value))


def _read(
    root: yaml.MappingNode, key: yaml.ScalarNode, value: yaml.Node, written: str, line: int
) -> AccessMapping:
    """The key and its value are read again by themselves, as strictly as access.yaml is."""
    alone = written[key.start_mark.index : value.end_mark.index]
    alone = f"{{{alone}}}" if root.flow_style else " " * key.start_mark.column + alone
    try:
        told = yaml_lines(("\n" * (line - 1) + alone).encode("utf-8", "surrogatepass")).value
        if not isinstance(told, dict) or [*map(_is_access, told)] != [True]:
            return AccessMapping(line, wrong="it stands elsewhere and comes by an alias or a merge")
        (only,) = told.values()
        if isinstance(only.value, dict):
            return rule_of_mapping(only)
        return AccessMapping(line, names("access", only))
    except BadYaml as error:
        return AccessMapping(error.line, wrong=error.reason)


def _is_access(name: str) -> bool:
    return normalise_field_name(_folded(name)) == "access"


def _folded(written: str) -> str:
    """As it looks to whoever wrote it: `ACCESS` is no other word, a wide colon is a colon."""
    if not written.isascii():
        written = _HIDDEN.sub("", unicodedata.normalize("NFKC", written))
    return written.casefold().translate(_LOOKALIKES)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _unread(
    text: str, block: re.Match[str] | None, root: yaml.MappingNode | None, keys: frozenset[int]
) -> int:
    """The first line that says `access` and is not read for it; 0 without one."""
    if block and root:
        margin, lines = " " * root.start_mark.column, _lines(text, *block.span("yaml"))
        swallowed = (
            number
            for number, line in lines
            if number not in keys
            and line.startswith(margin)
            and _AT_MARGIN.match(line, len(margin))
        )
        return next(swallowed, 0) or _behind(text, block.end(), opened=False)
    start, stop, end = (*block.span("yaml"), block.end()) if block else _loosely(text)
    if end == 0:
        return 0
    if text[start:stop].partition("\n")[0].strip():
        said = (number for number, line in _lines(text, start, stop) if _ANYWHERE.match(line))
        return next(said, 0) or _behind(text, end, opened=False)
    return _behind(text, start, opened=True)


def _loosely(text: str) -> tuple[int, int, int]:
    """What is meant for a block: its inside, and its end; nothing inside where it is not closed."""
    opening = _OPENING.match(text, _top(text, 0))
    if opening is None:
        return 0, 0, 0
    start = opening.end()
    closing = _CLOSING.search(text, start, start + LONGEST)
    return (start, *closing.span()) if closing else (start, start, start)


def _top(text: str, at: int) -> int:
    """Behind blank lines and comments."""
    while True:
        blank = _BLANK_LINES.match(text, at)
        at = blank.end() if blank else at
        end = text.find("-->", at) if text.startswith("<!--", at) else -1
        if end < 0:
            return at
        at = end + len("-->")


def _lines(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    written = text[start:stop].split("\n")
    return ((number, _folded(line)) for number, line in enumerate(written, _line(text, start)))


def _behind(text: str, at: int, *, opened: bool) -> int:
    """Block after block: the line in which one says `access`, 0 where none does."""
    while True:
        if not opened:
            opening = _OPENING.match(text, _top(text, at))
            if opening is None:
                return 0
            at = opening.end()
        said, stop = _run(text, at)
        if said >= 0 or stop < 0:
            return _line(text, said) if said >= 0 else 0
        opened = not text[at:stop].strip()  # the fence that ends nothing may begin the next
        at = text.find("\n", stop) + 1 or len(text)


def _run(text: str, at: int) -> tuple[int, int]:
    """Where a line among keys alone says `access`, and where they are closed; -1 for nowhere."""
    above, keyed = "-", False
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = _folded(text[at:end]).rstrip()
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
    return not line or (keyed and bool(_KEY.match(line) or _OF_A_KEY.match(line)))
