"""YAML front matter: the fields between two `---` lines at the top of a file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from docgraph.ingest.formats.front_matter_access import (
    MAX_FRONT_MATTER_CHARACTERS,
    read_access,
)
from docgraph.ingest.parsed_file import AccessMapping, HeaderField, normalise_field_name
from docgraph.yaml_lines import BoundedLoader

_BLOCK = re.compile(r"(?ms)---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`end` is where the block ends, 0 without one; `access` states who may read the file."""

    fields: tuple[HeaderField, ...] = ()
    end: int = 0
    remarks: tuple[str, ...] = ()
    access: AccessMapping | None = None


def read_front_matter(text: str) -> FrontMatter:
    """A block that is not a YAML mapping stays text, with a remark.

    Values stay as written: a scalar is a field, a list of scalars several.
    """
    block = _BLOCK.match(text, 0, MAX_FRONT_MATTER_CHARACTERS)
    root, remark = _parse_mapping(block["yaml"]) if block else (None, "")
    access = read_access(text, block, root)
    remarks = [remark] if remark else []
    if access and access.error:
        remarks.append(f"line {access.line}: access: {access.error}; nobody may read it")
    if block is None or root is None:
        return FrontMatter(remarks=tuple(remarks), access=access)
    fields = tuple(_read_fields(root, text, block.start("yaml")))
    return FrontMatter(fields, block.end(), tuple(remarks), access)


def _parse_mapping(written: str) -> tuple[yaml.MappingNode | None, str]:
    """The mapping, or a remark on what else the block is; an empty block has neither."""
    try:
        root = yaml.compose(written, Loader=BoundedLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        return None, f"line {line}: front matter is not YAML ({error.problem}); kept as text"
    except (yaml.YAMLError, RecursionError):
        return None, "line 1: front matter is not YAML; kept as text"
    if root is None or isinstance(root, yaml.MappingNode):
        return root, ""
    return None, "line 1: front matter is not a mapping; kept as text"


def _read_fields(root: yaml.MappingNode, text: str, offset: int) -> Iterator[HeaderField]:
    for key, node in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        for item in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if isinstance(item, yaml.ScalarNode) and item.value.strip():
                value, line = item.value.strip(), item.start_mark.line + 2
                first, last = item.start_mark.index + offset, item.end_mark.index + offset
                unquoted = text.find(value, first, last)
                if unquoted >= 0:
                    first, last = unquoted, unquoted + len(value)
                yield HeaderField(normalise_field_name(key.value), value, line, first, last)
