"""Reading YAML with line numbers, so that an error can say where."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from docgraph.model.errors import DocgraphError

DEEPEST = 16
_OPENS = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSES = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_REFUSED = (yaml.AnchorToken, yaml.AliasToken, yaml.TagToken)
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # an escape can make one, no store takes it


class BadYaml(DocgraphError):
    """What is wrong in which line; the file's name is said by those who know it."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Line:
    """A value and the line it stands on; containers hold Lines, scalars know how they are written.

    YAML takes `010` for 8 and `1:30` for 90.
    """

    value: Any
    number: int
    written: str = field(default="", compare=False, repr=False)

    def plain(self) -> Any:
        if isinstance(self.value, dict):
            return {key: line.plain() for key, line in self.value.items()}
        if isinstance(self.value, list):
            return [line.plain() for line in self.value]
        return self.value


def yaml_lines(data: bytes) -> Line:
    """The one value of a YAML text; None for an empty one.

    Anchors, duplicate keys and tags are refused. How long a text may be is for the caller to say.
    """
    text = _text(data)
    try:
        _scan(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BadYaml(line, f"not YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadYaml(line, f"not YAML: {error.reason}") from error
    return Line(None, 1) if root is None else _line(root)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadYaml(line, f"not UTF-8 at byte {error.start}") from error


def _scan(text: str) -> None:
    """Before anything is built: what nobody needs here, and depth that takes long to read."""
    depth = 0
    for token in yaml.scan(text):
        line = token.start_mark.line + 1
        depth += isinstance(token, _OPENS) - isinstance(token, _CLOSES)
        if depth > DEEPEST:
            raise BadYaml(line, "nested too deeply")
        if isinstance(token, _REFUSED):
            raise BadYaml(line, "anchors, aliases and tags are not used here")
        if isinstance(token, yaml.ScalarToken) and _SURROGATE.search(token.value):
            raise BadYaml(line, "half a character")


def _line(node: yaml.Node) -> Line:
    number = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Line] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise BadYaml(number, "keys are plain words")
            if key.value in found:
                raise BadYaml(key.start_mark.line + 1, f"{key.value!r} stands twice")
            found[key.value] = replace(_line(value), number=key.start_mark.line + 1)
        return Line(found, number)
    if isinstance(node, yaml.SequenceNode):
        return Line([_line(item) for item in node.value], number)
    return Line(_scalar(node), number, node.value)


def _scalar(node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        raise BadYaml(node.start_mark.line + 1, str(error)) from error
    finally:
        loader.dispose()
