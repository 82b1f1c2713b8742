"""Judged questions: queries.jsonl and qrels.tsv, checked row by row before anything is ingested."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgraph.model.errors import BadInput
from docgraph.model.validation import is_storable
from docgraph.pipeline.request import MAX_QUESTION_CHARACTERS, validate_question
from docgraph.ports.source import SourceProblem

MAX_CUT_WORD = 1_000  # characters of an incomplete word that is left out where a text is truncated
_GRADE = re.compile(r"-?[0-9]{1,9}")

Grades = Mapping[str, int]  # by document


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question of the file that can be asked. `source` is the document that it was taken from.

    `text` has no white space around it; `position` is that of its row, `path:line`.
    """

    id: str
    text: str
    source: str | None
    grades: Grades
    position: str
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """The questions that can be asked, and the number of all of them.

    `unjudged` have no judgement, so that nothing can be measured; `problems` name the others.
    """

    rows: tuple[QuestionRow, ...]
    total: int
    unjudged: int
    problems: tuple[SourceProblem, ...]


def read_questions(folder: Path) -> QuestionFile:
    """A row that cannot be asked is a problem, and the others are read."""
    path, judgements = folder / "queries.jsonl", read_judgements(folder / "qrels.tsv")
    rows: list[QuestionRow] = []
    problems: list[SourceProblem] = []
    seen: set[str] = set()
    total = unjudged = 0
    for number, line in _lines(path):
        total += 1
        position = f"{path}:{number}"
        try:
            row = _row(line)
            name = _unique_id(row, seen)
            seen.add(name)
            if name in judgements:
                rows.append(_question(name, row, judgements[name], position))
            else:
                unjudged += 1
        except BadInput as error:
            problems.append(SourceProblem(position, str(error)))
    problems += [
        SourceProblem(str(folder / "qrels.tsv"), f"question {name!r} is not in {path.name}")
        for name in judgements
        if name not in seen
    ]
    return QuestionFile(tuple(rows), total, unjudged, tuple(problems))


def read_judgements(path: Path) -> dict[str, Grades]:
    """Questions with at least one relevant document; a first line without a number is a header."""
    judgements: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for number, line in _lines(path):
        try:
            fields = line.decode("utf-8-sig").rstrip("\r\n").split("\t")
        except UnicodeDecodeError as error:
            raise BadInput(f"{path}:{number}: not UTF-8: {error.reason}") from error
        if len(fields) != 3:
            raise BadInput(f"{path}:{number}: not three columns: query, document, grade")
        if _GRADE.fullmatch(fields[2]):
            judgements[fields[0]][fields[1]] = int(fields[2])
        elif number > 1:
            raise BadInput(f"{path}:{number}: {fields[2]!r} is not a grade")
    return {name: grades for name, grades in judgements.items() if max(grades.values()) > 0}


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each JSON object with its position; a row that is none is an error."""
    for number, line in _lines(path):
        position = f"{path}:{number}"
        try:
            row = _row(line)
        except BadInput as error:
            raise BadInput(f"{position}: {error}") from error
        yield position, row


def truncate_question(text: str) -> str:
    """The first MAX_QUESTION_CHARACTERS characters, without an incomplete word at their end."""
    kept = text[:MAX_QUESTION_CHARACTERS]
    if len(kept) < len(text) and not text[len(kept)].isspace():
        before, *word = kept.rsplit(maxsplit=1)
        if word and len(word[0]) <= MAX_CUT_WORD:
            kept = before
    return kept.rstrip()


def _question(name: str, row: Mapping[str, Any], grades: Grades, position: str) -> QuestionRow:
    """BadInput where the engine would refuse the question, or could not search for anything."""
    text, source = row.get("text"), row.get("source")
    if not isinstance(text, str):
        raise BadInput(f"question {name!r}: `text` is not a string")
    if source is not None and read_id(source) is None:
        raise BadInput(f"question {name!r}: `source` is not the `_id` of a document")
    whole = text.strip()
    asked = truncate_question(whole)
    if not any(map(str.isalnum, asked)):
        raise BadInput(f"question {name!r}: its text has no letter or digit")
    try:
        validate_question(asked, ())
    except BadInput as error:
        raise BadInput(f"question {name!r}: {error}") from error
    return QuestionRow(name, asked, read_id(source), grades, position, truncated=asked != whole)


def _unique_id(row: Mapping[str, Any], seen: set[str]) -> str:
    name = read_id(row.get("_id"))
    if name is None:
        raise BadInput("not a question: its `_id` is neither a string nor a whole number")
    if not is_storable(name):
        raise BadInput(f"question {name!r}: its `_id` is not text")
    if name in seen:
        raise BadInput(f"question {name!r}: its `_id` stands in an earlier row")
    return name


def read_id(value: object) -> str | None:
    """A string or a whole number, as a string; None is for anything else."""
    return str(value) if type(value) in (str, int) and value != "" else None


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise BadInput("not a JSON object")
    return row


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
