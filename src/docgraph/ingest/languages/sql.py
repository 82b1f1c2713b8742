"""SQL.

Offers: a table or view is `table:name`, and `table:schema.name` where its definition gives a
schema, else `table:.name`. Functions and procedures are `routine:…` likewise.
Claims: `name` is `table:name`; `schema.name` is that key, else a table defined without a schema.
Case and quotes do not count. Any of them may live in a database alone: none is reported missing.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from docgraph.ingest.languages.bindings import Aim, Aims, Chain
from docgraph.ingest.languages.language import Imports, Language, Parts
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.languages.source import Source
from docgraph.ingest.parsed_file import Handle, ParsedFile

if TYPE_CHECKING:
    from docgraph.ingest.languages.language import Found
    from docgraph.ingest.languages.source import Source


# Procedures: the grammar has none, so that they are found in the text and taken out of its way.


_HEAD = re.compile(
    rb"(?im)^[ \t]*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?PROC(?:EDURE)?\s+"
    rb"((?:[\w.$]|\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\])+)"
)
_BODY = re.compile(rb"(?i)(\$\w*\$)|\bBEGIN\b|\bAS\b(?!\s+\$)")
_NEXT = re.compile(rb"(?im)^[ \t]*(?:CREATE|GO|DELIMITER|ALTER)\b")
_TAIL = re.compile(rb"(?i)\s*(?:LANGUAGE\s+\w+\s*)?;")
_NOT_BLANK = re.compile(rb"[^\s]")
_BRACKETS = re.compile(rb"(?<![\w\])\"'])\[([^\W\d][\w $]*)\]")
_LONGEST_HEAD = 5_000


def procedures(source: "Source") -> "Iterator[Found]":
    for start, name, _, end in _procedures(source.data):
        yield "function", (start, end), name


def prepared(data: bytes) -> bytes:
    """What the grammar can read, of the same length: heads blank, and brackets as quotes."""
    kept, at = [], 0
    for start, _, (body, close), end in _procedures(data):
        kept += [
            data[at:start],
            _blank(data[start:body]),
            data[body:close],
            _blank(data[close:end]),
        ]
        at = end
    return _BRACKETS.sub(rb'"\1"', b"".join([*kept, data[at:]]))


def _procedures(data: bytes) -> Iterator[tuple[int, tuple[int, int], tuple[int, int], int]]:
    """(start, name, body, end) of each, in order."""
    at = 0
    while head := _HEAD.search(data, at):
        found = _BODY.search(data, head.end(), head.end() + _LONGEST_HEAD)
        body = found.end() if found else head.end()
        after = _NEXT.search(data, body)
        end = close = after.start() if after else len(data)
        if found and found.group(1):
            closing = data.find(found.group(1), body)
            close = closing if closing >= 0 else len(data)
            end = _after(data, close + len(found.group(1)))
        start = head.end() - len(head.group().lstrip())
        end = start + len(data[start:end].rstrip())
        yield start, head.span(1), (min(body, end), min(close, end)), end
        at = max(end, head.end())


def _after(data: bytes, place: int) -> int:
    """What may follow a body (`LANGUAGE sql;`) belongs to its procedure."""
    match = _TAIL.match(data, place)
    return match.end() if match else min(place, len(data))


def _blank(data: bytes) -> bytes:
    return _NOT_BLANK.sub(b" ", data)


_NEAR = 4
_PART = re.compile(r"""[^\s."`\[\]]+|"[^"]+"|`[^`]+`|\[[^\]]+\]""")
_QUOTES = '"`[]'

_SYSTEM = frozenset({"information_schema", "pg_catalog", "sys"})
# What every database brings; who defines such a name again seldom means to be called by others.
_BUILTINS = frozenset(
    {
        *("abs()", "any()", "array_agg()", "avg()", "cast()", "ceil()", "char_length()"),
        *("coalesce()", "concat()", "convert()", "count()", "date()", "date_trunc()"),
        *("dense_rank()", "exists()", "extract()", "first_value()", "floor()", "format()"),
        *("getdate()", "greatest()", "ifnull()", "instr()", "isnull()", "json_agg()", "lag()"),
        *("last_value()", "lead()", "least()", "left()", "length()", "lower()", "ltrim()"),
        *("max()", "min()", "mod()", "nextval()", "now()", "nullif()", "nvl()", "position()"),
        *("power()", "rank()", "replace()", "right()", "round()", "row_number()", "rtrim()"),
        *("sqrt()", "string_agg()", "strpos()", "substr()", "substring()", "sum()", "to_char()"),
        *("to_date()", "trim()", "unnest()", "upper()"),
    }
)

_QUERY = """
[(comment) (marginalia)] @comment
(create_table (object_reference) @name) @table @detached
(create_view (object_reference) @name) @table @detached
(create_materialized_view (object_reference) @name) @table @detached
(create_function (object_reference) @name (function_body) @body) @function @detached

(statement) @scope
(cte . (identifier) @bind)

(relation (object_reference) @reads)
(statement (keyword_merge) (keyword_using) . (object_reference) @reads)
(statement (keyword_merge) (keyword_into) . (object_reference) @writes)
(statement (keyword_truncate) (object_reference) @writes)
(insert (object_reference) @writes)
(update (relation (object_reference) @writes))
(from (object_reference) @writes)
(alter_table (object_reference) @writes)
(drop_table (object_reference) @writes)
(create_index (object_reference) @writes)
(column_definition (keyword_references) . (object_reference) @references)
(constraint (keyword_references) . (object_reference) @references)
(invocation (object_reference) @call)
(create_trigger (keyword_function) . (object_reference) @call)
"""


def parse_sql(path: str, text: str) -> ParsedFile:
    return read_code(_SQL, path, text)


def _grammar() -> object:
    import tree_sitter_sql

    return tree_sitter_sql.language()


def _chain(text: str) -> Chain | None:
    """Schema and name, or the name alone; a database before them is left out."""
    parts = [part.strip(_QUOTES).casefold() for part in _PART.findall(text)]
    return tuple(parts[-2:]) if parts and all(parts) else None


def _spelled(text: str) -> str:
    return ".".join(part.strip(_QUOTES) for part in _PART.findall(text)) or text


def _fold(text: str) -> str:
    return text.strip(_QUOTES).casefold()


def _elsewhere(chain: Chain) -> Aims | None:
    kind = "routine" if chain[-1].endswith("()") else "table"
    names = [name.removesuffix("()") for name in chain]
    keys = [f"{kind}:{'.'.join(names)}"]
    if len(names) > 1 and names[0] not in _SYSTEM:
        keys.append(f"{kind}:.{names[-1]}")
    return tuple(Aim(key, rank=rank, near=_NEAR, reported=False) for rank, key in enumerate(keys))


def _imports(source: Source) -> Imports:  # noqa: ARG001
    return Imports(elsewhere=_elsewhere)


def _offers(source: Source, parts: Parts) -> Iterator[Handle]:  # noqa: ARG001
    for index, part in enumerate(parts):
        kind = "table" if part.kind == "table" else "routine"
        names = part.title.casefold().split(".")[-2:]
        yield Handle(f"{kind}:{names[-1]}", index, len(names) - 1)
        yield Handle(f"{kind}:{names[0] if len(names) > 1 else ''}.{names[-1]}", index)


def _title(source: Source, parts: Parts) -> str:  # noqa: ARG001
    return PurePosixPath(source.path).name


_SQL = Language(
    grammar=_grammar,
    query=_QUERY,
    imports=_imports,
    offers=_offers,
    title=_title,
    more=procedures,
    chain=_chain,
    builtins=_BUILTINS,
    spelled=_spelled,
    folded=_fold,
    prepared=prepared,
    calls_apart=True,
    doc_marks=("--", "/*"),
)
