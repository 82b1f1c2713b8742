"""Reading YAML with line numbers, so that an error can say where."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from docgraph.model.errors import BadPipeline

LARGEST = 64 * 1024
DEEPEST = 16
_OPENS = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_CLOSES = (yaml.BlockEndToken, yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_REFUSED = (yaml.AnchorToken, yaml.AliasToken, yaml.TagToken)


@dataclass(frozen=True, slots=True)
class Line:
    """A value and the line it stands on; containers hold Lines."""

    value: Any
    number: int

    def plain(self) -> Any:
        if isinstance(self.value, dict):
            return {key: line.plain() for key, line in self.value.items()}
        if isinstance(self.value, list):
            return [line.plain() for line in self.value]
        return self.value


def read_lines(path: Path) -> dict[str, Line]:
    """The top-level mapping of a YAML file. Anchors, duplicate keys and tags are refused."""
    text = _text(path)
    try:
        _scan(path.name, text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BadPipeline(f"{path.name}:{line}: not YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise BadPipeline(f"{path.name}:{line}: not YAML: {error.reason}") from error
    if not isinstance(root, yaml.MappingNode):
        raise BadPipeline(f"{path.name}:1: a pipeline starts with `pipeline: name`")
    found: dict[str, Line] = _line(path.name, root).value
    return found


def _scan(file: str, text: str) -> None:
    """Before anything is built: what a pipeline does not use, and depth that takes long to read."""
    depth = 0
    for token in yaml.scan(text):
        where = f"{file}:{token.start_mark.line + 1}"
        depth += isinstance(token, _OPENS) - isinstance(token, _CLOSES)
        if depth > DEEPEST:
            raise BadPipeline(f"{where}: nested too deeply")
        if isinstance(token, _REFUSED):
            raise BadPipeline(f"{where}: anchors, aliases and tags are not used in pipelines")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadPipeline(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadPipeline(f"{str(path)!r}: cannot be read: {error}") from error
    if len(data) > LARGEST:
        raise BadPipeline(f"{path.name}: a pipeline takes at most {LARGEST} bytes, this is longer")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadPipeline(f"{path.name}:{line}: not UTF-8 at byte {error.start}") from error


def _line(file: str, node: yaml.Node) -> Line:
    number = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Line] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise BadPipeline(f"{file}:{number}: keys are plain words")
            if key.value in found:
                raise BadPipeline(f"{file}:{key.start_mark.line + 1}: {key.value!r} stands twice")
            inner = _line(file, value)
            found[key.value] = Line(inner.value, key.start_mark.line + 1)
        return Line(found, number)
    if isinstance(node, yaml.SequenceNode):
        return Line([_line(file, item) for item in node.value], number)
    return Line(_scalar(file, node), number)


def _scalar(file: str, node: yaml.Node) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        raise BadPipeline(f"{file}:{node.start_mark.line + 1}: {error}") from error
    finally:
        loader.dispose()
