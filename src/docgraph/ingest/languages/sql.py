"""SQL.

Definitions: a table or view is `table:name`, and `table:schema.name` where its definition gives
a schema, else `table:.name`. Functions and procedures are `routine:…` likewise.
References: `name` is `table:name`; `schema.name` is that key, else a table defined without a
schema. Case and quotes do not count. A table may exist in a database alone, so that none is
reported as unresolved.

The grammar has no procedures: they are found in the text and removed before it is parsed.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from docgraph.ingest.languages.bindings import Chain, Targets
from docgraph.ingest.languages.language import Imports, Language, NamedSpan, Parts
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.languages.source import SourceCode
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.reference import Definition, ReferenceTarget

_HEAD = re.compile(
    rb"(?im)^[ \t]*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?PROC(?:EDURE)?\s+"
    rb"((?:[\w.$]|\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\])+)"
)
_BODY = re.compile(rb"(?i)(\$\w*\$)|\bBEGIN\b|\bAS\b(?!\s+\$)")
_NEXT = re.compile(rb"(?im)^[ \t]*(?:CREATE|GO|DELIMITER|ALTER)\b")
_TAIL = re.compile(rb"(?i)\s*(?:LANGUAGE\s+\w+\s*)?;")
_NOT_BLANK = re.compile(rb"[^\s]")
_BRACKETS = re.compile(rb"(?<![\w\])\"'])\[([^\W\d][\w $]*)\]")
_MAX_HEAD_BYTES = 5_000


def list_procedures(source: SourceCode) -> Iterator[NamedSpan]:
    for start, name, _, end in _find_procedures(source.data):
        yield "function", (start, end), name


def prepare(data: bytes) -> bytes:
    """What the grammar can parse, of the same length: heads blank, and brackets as quotes."""
    prepared, at = [], 0
    for start, _, (body, close), end in _find_procedures(data):
        prepared += [
            data[at:start],
            _blank(data[start:body]),
            data[body:close],
            _blank(data[close:end]),
        ]
        at = end
    return _BRACKETS.sub(rb'"\1"', b"".join([*prepared, data[at:]]))


def _find_procedures(data: bytes) -> Iterator[tuple[int, tuple[int, int], tuple[int, int], int]]:
    """(start, name, body, end) of each, in order."""
    at = 0
    while head := _HEAD.search(data, at):
        after = _NEXT.search(data, head.end())
        end = close = after.start() if after else len(data)
        begin = _BODY.search(data, head.end(), min(end, head.end() + _MAX_HEAD_BYTES))
        body = begin.end() if begin else head.end()
        if begin and begin.group(1):
            closing = data.find(begin.group(1), body)
            close = closing if closing >= 0 else len(data)
            end = _end_of_tail(data, close + len(begin.group(1)))
        start = head.end() - len(head.group().lstrip())
        end = start + len(data[start:end].rstrip())
        yield start, head.span(1), (min(body, end), min(close, end)), end
        at = max(end, head.end())


def _end_of_tail(data: bytes, position: int) -> int:
    """What may follow a body (`LANGUAGE sql;`) is part of its procedure."""
    match = _TAIL.match(data, position)
    return match.end() if match else min(position, len(data))


def _blank(data: bytes) -> bytes:
    return _NOT_BLANK.sub(b" ", data)


_DISTANCE_WEIGHT = 4
_PART = re.compile(r"""[^\s."`\[\]]+|"[^"]+"|`[^`]+`|\[[^\]]{1,200}\]""")
_QUOTES = '"`[]'

_SYSTEM = frozenset({"information_schema", "pg_catalog", "sys"})
# What every database provides; a file that defines such a name again is seldom what is called.
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


def _load_grammar() -> object:
    import tree_sitter_sql

    return tree_sitter_sql.language()


def _parse_chain(text: str) -> Chain | None:
    """Schema and name, or the name alone; a database before them is left out."""
    parts = [part.strip(_QUOTES).casefold() for part in _PART.findall(text)]
    return tuple(parts[-2:]) if parts and all(parts) else None


def _strip_quotes(text: str) -> str:
    return ".".join(part.strip(_QUOTES) for part in _PART.findall(text)) or text


def _fold_case(text: str) -> str:
    return text.strip(_QUOTES).casefold()


def _resolve_unbound(chain: Chain) -> Targets | None:
    kind = "routine" if chain[-1].endswith("()") else "table"
    names = [name.removesuffix("()") for name in chain]
    keys = [f"{kind}:{'.'.join(names)}"]
    if len(names) > 1 and names[0] not in _SYSTEM:
        keys.append(f"{kind}:.{names[-1]}")
    return tuple(
        ReferenceTarget(key, rank=rank, distance_weight=_DISTANCE_WEIGHT, report_unresolved=False)
        for rank, key in enumerate(keys)
    )


def _read_imports(source: SourceCode) -> Imports:  # noqa: ARG001
    return Imports(resolve_unbound=_resolve_unbound)


def _list_definitions(source: SourceCode, parts: Parts) -> Iterator[Definition]:  # noqa: ARG001
    for part in parts:
        kind = "table" if part.kind == "table" else "routine"
        names = part.title.casefold().split(".")[-2:]
        schema = names[0] if len(names) > 1 else ""
        yield Definition(f"{kind}:{names[-1]}", part.suffix, len(names) - 1)
        yield Definition(f"{kind}:{schema}.{names[-1]}", part.suffix)


def _make_title(source: SourceCode, parts: Parts) -> str:  # noqa: ARG001
    return PurePosixPath(source.path).name


_SQL = Language(
    grammar=_load_grammar,
    query=_QUERY,
    imports=_read_imports,
    definitions=_list_definitions,
    title=_make_title,
    extra_definitions=list_procedures,
    parse_chain=_parse_chain,
    builtins=_BUILTINS,
    definition_name=_strip_quotes,
    variable_name=_fold_case,
    prepare=prepare,
    separate_call_names=True,
    doc_marks=("--", "/*"),
)
