"""Expectations of retrieval in a YAML file: a question, and what its context must include."""

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

MAX_BYTES = 4 * 1024 * 1024
_Name = Annotated[str, MinLen(1)]


@dataclass(frozen=True, slots=True)
class Expectation:
    """`must_include` and `must_not_include` name documents, sections, symbols or chunks.

    By id, or by path in any repository. `as_` is the person whose rights apply.
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
class ExpectationEntry:
    """One entry of the file without `as`, which is a keyword of Python."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "strict": True}
    question: _Name
    must_include: tuple[_Name, ...] = ()
    must_not_include: tuple[_Name, ...] = ()
    max_tokens: Annotated[int, Ge(1)] | None = None
    pipeline: _Name | None = None
    repository: _Name | None = None
    branch: _Name | None = None
    snapshot: Annotated[int, Ge(1)] | None = None


KEYS = ("question", "must_include", "must_not_include", "as", *ExpectationEntry.__slots__[3:])


def read_expectations(path: Path) -> tuple[Expectation, ...]:
    """Strict: an unknown key, a wrong type or an entry that expects nothing is an error."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise BadInput(f"{path}: takes at most {MAX_BYTES} bytes")
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
    values = item.plain()
    person = values.pop("as", None)
    if person is not None and not (isinstance(person, str) and person.strip()):
        raise BadInput(f"{where}: `as` takes the name of a person")
    try:
        entry = TypeAdapter(ExpectationEntry).validate_json(json.dumps(values, default=str))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "the entry"
        raise BadInput(f"{where}: {name}: {first['msg']}") from error
    if not (entry.must_include or entry.must_not_include or entry.max_tokens):
        raise BadInput(f"{where}: expects nothing; say what it must or must not include")
    fields = {name: getattr(entry, name) for name in ExpectationEntry.__slots__}
    return Expectation(line=item.number, as_=person, **fields)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a context meets an expectation; `problems` are sentences, empty if it does."""

    expectation: Expectation
    problems: tuple[str, ...]
    tokens: int
    seconds: float

    @property
    def passed(self) -> bool:
        return not self.problems


def find_problems(expected: Expectation, context: Context) -> tuple[str, ...]:
    missing = [
        f"does not include {name}"
        for name in expected.must_include
        if not any(item_matches(item, name) for item in context.items)
    ]
    unexpected = [
        f"includes {name}: {item.id} ({item.why.rule})"
        for name in expected.must_not_include
        for item in context.items
        if item_matches(item, name)
    ]
    return (*missing, *dict.fromkeys(unexpected))


def item_matches(item: ContextItem, name: str) -> bool:
    """By the id of its document, node, chunk or an enclosing symbol, or by its path."""
    names = (item.document_id, item.node, item.id, item.location.path)
    return name in names or ("::" in name and item.node.startswith(f"{name}."))


_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(suite: str, verdicts: Sequence[Verdict]) -> bytes:
    """Verdicts as JUnit XML, which CI servers read."""
    failed = sum(not verdict.passed for verdict in verdicts)
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
        person = f" (as {expected.as_})" if expected.as_ else ""
        case = Xml.SubElement(
            top,
            "testcase",
            classname=_text(suite),
            name=_text(f"{expected.question}{person}"),
            file=_text(suite),
            line=str(expected.line),
            time=f"{verdict.seconds:.3f}",
        )
        if verdict.problems:
            failure = Xml.SubElement(case, "failure", message=_text(verdict.problems[0]))
            failure.text = _text("\n".join(verdict.problems))
    Xml.indent(top)
    return bytes(Xml.tostring(top, encoding="utf-8", xml_declaration=True)) + b"\n"


def _text(text: str) -> str:
    """Without the characters that XML cannot contain."""
    return _UNWRITABLE.sub("\ufffd", text)
