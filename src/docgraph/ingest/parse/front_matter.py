"""YAML front matter: the fields between two `---` lines at the top of a file."""

import re
from collections.abc import Iterator

import yaml

from docgraph.ingest.parsed import Field, field_name

_BLOCK = re.compile(r"(?ms)---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_LONGEST = 65_536


def front_matter(text: str) -> tuple[tuple[Field, ...], int, str]:
    """Fields, where the block ends (0 without one), and a remark when it is not a YAML mapping.

    Values stay as they are written: a scalar is a field, a list of scalars several.
    """
    match = _BLOCK.match(text, 0, _LONGEST)
    if match is None:
        return (), 0, ""
    try:
        root = yaml.compose(match["yaml"], Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        return (), 0, f"line {line}: front matter is not YAML ({error.problem}); kept as text"
    except (yaml.YAMLError, RecursionError):
        return (), 0, "line 1: front matter is not YAML; kept as text"
    if not isinstance(root, yaml.MappingNode):
        return (), 0, "" if root is None else "line 1: front matter is not a mapping; kept as text"
    return tuple(_fields(root, text, match.start("yaml"))), match.end(), ""


def _fields(root: yaml.MappingNode, text: str, offset: int) -> Iterator[Field]:
    for key, told in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        for item in told.value if isinstance(told, yaml.SequenceNode) else [told]:
            if isinstance(item, yaml.ScalarNode) and item.value.strip():
                value, line = item.value.strip(), item.start_mark.line + 2
                first, last = item.start_mark.index + offset, item.end_mark.index + offset
                inside = text.find(value, first, last)  # without its quotation marks
                if inside >= 0:
                    first, last = inside, inside + len(value)
                yield Field(field_name(key.value), value, line, first, last)
