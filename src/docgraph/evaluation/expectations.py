"""Expectations of retrieval, as a YAML file: a question, and what its context must hold."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, MinLen

from docgraph.model.errors import BadInput
from docgraph.model.would_fit import would_fit
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

LARGEST = 4 * 1024 * 1024
_Name = Annotated[str, MinLen(1)]


@dataclass(frozen=True, slots=True)
class Expectation:
    """`must_include` and `must_not_include` name documents, sections, symbols or passages.

    By id, or by path where the repository does not matter. `as_` is whom it is asked as.
    """

    question: str
    line: int
    must_include: tuple[str, ...] = ()
    must_not_include: tuple[str, ...] = ()
    as_: str | None = None
    max_tokens: int | None = None
    pipeline: str | None = None
    repository: str | None = None
    branch: str | None = None
    snapshot: int | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """One entry as people write it; `as` is a word of Python's own, so it is put in later."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "strict": True}
    question: _Name
    must_include: tuple[_Name, ...] = ()
    must_not_include: tuple[_Name, ...] = ()
    max_tokens: Annotated[int, Ge(1)] | None = None
    pipeline: _Name | None = None
    repository: _Name | None = None
    branch: _Name | None = None
    snapshot: Annotated[int, Ge(1)] | None = None


KEYS = ("question", "must_include", "must_not_include", "as", *_Written.__slots__[3:])


def read_expectations(path: Path) -> tuple[Expectation, ...]:
    """Strictly: an unknown key, a wrong type, an entry that expects nothing is an error."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path}: takes at most {LARGEST} bytes")
    try:
        top = yaml_lines(data).value
    except BadYaml as error:
        raise BadInput(f"{path}:{error.line}: {error.reason}") from error
    if not isinstance(top, list) or not top:
        raise BadInput(f"{path}:1: a list of `- question: …` entries is expected")
    return tuple(_entry(path, item) for item in top)


def _entry(path: Path, item: Line) -> Expectation:
    from pydantic import TypeAdapter, ValidationError

    where = f"{path}:{item.number}"
    if not isinstance(item.value, dict):
        raise BadInput(f"{where}: an entry is `question: …` with what it must include")
    for key, line in item.value.items():
        if key not in KEYS:
            raise BadInput(f"{path}:{line.number}: unknown key {key!r}; {would_fit(key, KEYS)}")
    given = item.plain()
    whom = given.pop("as", None)
    if whom is not None and not (isinstance(whom, str) and whom.strip()):
        raise BadInput(f"{where}: `as` takes the name of a person")
    try:
        written = TypeAdapter(_Written).validate_json(json.dumps(given, default=str))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "the entry"
        raise BadInput(f"{where}: {name}: {first['msg']}") from error
    if not (written.must_include or written.must_not_include or written.max_tokens):
        raise BadInput(f"{where}: expects nothing; say what it must or must not include")
    values = {name: getattr(written, name) for name in _Written.__slots__}
    return Expectation(line=item.number, as_=whom, **values)
