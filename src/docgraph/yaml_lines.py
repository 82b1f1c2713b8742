"""Parses YAML with line numbers, so that an error can say where."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from docgraph.model.errors import DocgraphError

MAX_DEPTH = 16
_RECURSION_DEPTH = 100
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
        loader = _StrictLoader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BadYaml(line, f"not YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadYaml(line, f"not YAML: {error.reason}") from error
    return Line(None, 1) if root is None else _line(root, SafeConstructor())


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadYaml(line, f"not UTF-8 at byte {error.start}") from error


class BoundedLoader(yaml.SafeLoader):
    """Deep nesting is a RecursionError: the scanner's time grows with the square of the depth."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.depth = 0

    def get_token(self) -> yaml.Token:
        token: yaml.Token = super().get_token()  # type: ignore[no-untyped-call]
        self.depth += isinstance(token, _OPENS) - isinstance(token, _CLOSES)
        if self.depth > _RECURSION_DEPTH:
            raise RecursionError("nested too deeply")
        return token


class _StrictLoader(BoundedLoader):
    """Refuses unused features and deep nesting before anything is built of them."""

    def get_token(self) -> yaml.Token:
        token = super().get_token()
        line = token.start_mark.line + 1
        if self.depth > MAX_DEPTH:
            raise BadYaml(line, "nested too deeply")
        if isinstance(token, _REFUSED):
            raise BadYaml(line, "anchors, aliases and tags are not used here")
        if isinstance(token, yaml.ScalarToken) and _SURROGATE.search(token.value):
            raise BadYaml(line, "half a character")
        return token


def _line(node: yaml.Node, constructor: SafeConstructor) -> Line:
    number = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Line] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise BadYaml(number, "keys are plain words")
            if key.value in entries:
                raise BadYaml(key.start_mark.line + 1, f"{key.value!r} stands twice")
            inside = _line(value, constructor)
            entries[key.value] = replace(inside, number=key.start_mark.line + 1)
        return Line(entries, number)
    if isinstance(node, yaml.SequenceNode):
        return Line([_line(item, constructor) for item in node.value], number)
    return Line(_scalar(node, constructor), number, node.value)


def _scalar(node: yaml.Node, constructor: SafeConstructor) -> Any:
    try:
        return constructor.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        raise BadYaml(node.start_mark.line + 1, str(error)) from error
