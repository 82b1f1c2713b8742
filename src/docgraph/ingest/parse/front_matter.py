"""YAML front matter: the fields between two `---` lines at the top of a file."""

import re
from collections.abc import Iterator

import yaml

from docgraph.ingest.parsed import Field, field_name

_BLOCK = re.compile(r"---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
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
    return tuple(_fields(root, match.start("yaml"))), match.end(), ""


def _fields(root: yaml.MappingNode, offset: int) -> Iterator[Field]:
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        values = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for item in values:
            if isinstance(item, yaml.ScalarNode) and item.value.strip():
                yield Field(
                    name=field_name(key.value),
                    value=item.value.strip(),
                    line=item.start_mark.line + 2,
                    start=item.start_mark.index + offset,
                    end=item.end_mark.index + offset,
                )
