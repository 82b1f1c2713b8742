"""A pipeline file as it is written: its top-level keys, each with its line."""

from pathlib import Path

from docgraph.model.errors import BadPipeline
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

LARGEST = 64 * 1024


def read_lines(path: Path) -> dict[str, Line]:
    try:
        top = yaml_lines(_bytes(path)).value
    except BadYaml as error:
        raise BadPipeline(f"{path.name}:{error.line}: {error.reason}") from error
    if not isinstance(top, dict):
        raise BadPipeline(f"{path.name}:1: a pipeline starts with `pipeline: name`")
    return top


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadPipeline(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadPipeline(f"{str(path)!r}: cannot be read: {error}") from error
    if len(data) > LARGEST:
        raise BadPipeline(f"{path.name}: a pipeline takes at most {LARGEST} bytes, this is longer")
    return data
