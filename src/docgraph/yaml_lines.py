"""Parses YAML with line numbers, so that an error can say where."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from docgraph.model.errors import DocgraphError

MAX_DEPTH = 16
_OPENS = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSES = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_REFUSED = (yaml.AnchorToken, yaml.AliasToken, yaml.TagToken)
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # an escape can make one, and no store accepts it


class BadYaml(DocgraphError):
    """An error in a line; callers add the file's name."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Line:
    """A value and its line number; containers contain Lines, scalars have their text as `written`.

    YAML reads `010` as 8 and `1:30` as 90.
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

    Anchors, duplicate keys and tags are refused. The caller limits the length.
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
    """Refuses unused features and deep nesting before anything is built."""
    depth = 0
    for token in yaml.scan(text):
        line = token.start_mark.line + 1
        depth += isinstance(token, _OPENS) - isinstance(token, _CLOSES)
        if depth > MAX_DEPTH:
            raise BadYaml(line, "nested too deeply")
        if isinstance(token, _REFUSED):
            raise BadYaml(line, "anchors, aliases and tags are not used here")
        if isinstance(token, yaml.ScalarToken) and _SURROGATE.search(token.value):
            raise BadYaml(line, "half a character")


def _line(node: yaml.Node) -> Line:
    number = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Line] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise BadYaml(number, "keys are plain words")
            if key.value in entries:
                raise BadYaml(key.start_mark.line + 1, f"{key.value!r} stands twice")
            entries[key.value] = replace(_line(value), number=key.start_mark.line + 1)
        return Line(entries, number)
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
