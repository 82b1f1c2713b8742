"""Expectations of retrieval, as a YAML file: a question, and what its context must hold."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar
from xml.etree import ElementTree as Xml

from annotated_types import Ge, MinLen

from docgraph.model.context import Context, ContextItem
from docgraph.model.errors import BadInput
from docgraph.model.validation import suggest
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
class _ExpectationText:
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


KEYS = ("question", "must_include", "must_not_include", "as", *_ExpectationText.__slots__[3:])


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
            raise BadInput(f"{path}:{line.number}: unknown key {key!r}; {suggest(key, KEYS)}")
    given = item.plain()
    whom = given.pop("as", None)
    if whom is not None and not (isinstance(whom, str) and whom.strip()):
        raise BadInput(f"{where}: `as` takes the name of a person")
    try:
        written = TypeAdapter(_ExpectationText).validate_json(json.dumps(given, default=str))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "the entry"
        raise BadInput(f"{where}: {name}: {first['msg']}") from error
    if not (written.must_include or written.must_not_include or written.max_tokens):
        raise BadInput(f"{where}: expects nothing; say what it must or must not include")
    values = {name: getattr(written, name) for name in _ExpectationText.__slots__}
    return Expectation(line=item.number, as_=whom, **values)


# Judging a context by what was expected of it.


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problems` says in words what is not as expected; nothing, if all is."""

    expectation: Expectation
    problems: tuple[str, ...]
    tokens: int
    seconds: float

    @property
    def good(self) -> bool:
        return not self.problems


def problems_of(expected: Expectation, context: Context) -> tuple[str, ...]:
    missing = [
        f"does not include {wanted}"
        for wanted in expected.must_include
        if not any(fits(item, wanted) for item in context.items)
    ]
    unwanted = [
        f"includes {name}: {item.id} ({item.why.rule})"
        for name in expected.must_not_include
        for item in context.items
        if fits(item, name)
    ]
    return (*missing, *dict.fromkeys(unwanted))


def fits(item: ContextItem, name: str) -> bool:
    """By the id of its document, node or passage, or of a symbol around it; or by its path."""
    names = (item.document, item.node, item.id, item.location.path)
    return name in names or ("::" in name and item.node.startswith(f"{name}."))


# Verdicts as JUnit XML, the form in which CI servers read test results.


_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(suite: str, verdicts: Sequence[Verdict]) -> bytes:
    failed = sum(not verdict.good for verdict in verdicts)
    top = Xml.Element(
        "testsuite",
        name=_text(suite),
        tests=str(len(verdicts)),
        failures=str(failed),
        errors="0",
        skipped="0",
        time=f"{sum(verdict.seconds for verdict in verdicts):.3f}",
    )
    for verdict in verdicts:
        expected = verdict.expectation
        whom = f" (as {expected.as_})" if expected.as_ else ""
        case = Xml.SubElement(
            top,
            "testcase",
            classname=_text(suite),
            name=_text(f"{expected.question}{whom}"),
            file=_text(suite),
            line=str(expected.line),
            time=f"{verdict.seconds:.3f}",
        )
        if verdict.problems:
            told = _text("\n".join(verdict.problems))
            Xml.SubElement(case, "failure", message=_text(verdict.problems[0])).text = told
    Xml.indent(top)
    return bytes(Xml.tostring(top, encoding="utf-8", xml_declaration=True)) + b"\n"


def _text(text: str) -> str:
    """XML has no way to write some characters."""
    return _UNWRITABLE.sub("\ufffd", text)
