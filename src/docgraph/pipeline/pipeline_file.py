"""A pipeline file as it is written: its top-level keys, each with its line."""

from pathlib import Path

from docgraph.model.errors import BadPipeline
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

LARGEST = 64 * 1024


def read_lines(path: Path) -> dict[str, Line]:
    return lines_of(path.name, _bytes(path))


def lines_of(name: str, data: bytes) -> dict[str, Line]:
    """Of a text that is called so in errors."""
    if len(data) > LARGEST:
        raise BadPipeline(f"{name}: a pipeline takes at most {LARGEST} bytes, this is longer")
    try:
        top = yaml_lines(data).value
    except BadYaml as error:
        raise BadPipeline(f"{name}:{error.line}: {error.reason}") from error
    if not isinstance(top, dict):
        raise BadPipeline(f"{name}:1: a pipeline starts with `pipeline: name`")
    return top


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise BadPipeline(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadPipeline(f"{str(path)!r}: cannot be read: {error}") from error
