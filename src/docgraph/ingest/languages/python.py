"""Python.

Definitions: a module is `py:pkg.module` by every end of its path of two names or more,
`pyroot:pkg.module` if that begins at the root or in a `src`, and `pyfile:src/pkg/module`. A
package's `__init__` ranks before a module of that name.
References: an absolute import of two names or more is `py:`, the nearest first; a single name,
and what is imported from it, is `pyroot:` or is beside the importing file; the standard library
is `pyroot:` alone; a relative import is one `pyfile:`. `from m import n` means `::n` in m, else
the module `m.n`.
"""

import builtins
import re
from collections.abc import Iterable

from docgraph.ingest.languages.bindings import Chain, parse_chain
from docgraph.ingest.languages.language import Language, Parts
from docgraph.ingest.languages.python_imports import module_keys, module_name, read_imports
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.languages.source import SourceCode
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.reference import Definition

_SUPER = re.compile(r"super\([^()]*\)(?=\.)")
_CONSTRUCTED = re.compile(r"((?:\w+\.)*[A-Z]\w*)\([^()]*\)\.(\w+)")
_QUOTED = re.compile(r"""(['"])([\w.]+)\1""")
_OPTIONAL = re.compile(
    r"(?:typing\.)?Optional\[([\w.]+)\]|([\w.]+)\s*\|\s*None|None\s*\|\s*([\w.]+)"
)

_QUERY = """
(comment) @comment
(expression_statement . (string) @doc)
(decorator) @decorator
(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(lambda) @closure
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
[(import_statement) (import_from_statement)] @import
(call function: (_) @call)
(decorator [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @inherits))
(class_definition superclasses: (argument_list (subscript value: (_) @inherits)))
(parameters . (identifier) @receiver)
(parameters . (typed_parameter . (identifier) @receiver))
(typed_parameter . (identifier) @typed type: (type) @type)
(typed_default_parameter name: (identifier) @typed type: (type) @type)
(assignment left: (identifier) @typed type: (type) @type)
(assignment left: (identifier) @typed !type
  right: (call function: [(identifier) (attribute)] @made))
(assignment left: (attribute object: (identifier) @holder attribute: (_) @field) type: (_) @type)
(assignment left: (attribute object: (identifier) @holder attribute: (_) @field)
  right: (call function: [(identifier) (attribute)] @made))
(assignment left: (attribute object: (identifier) @holder attribute: (_) @field)
  right: (identifier) @alias)
(assignment left: (attribute object: (identifier) @holder attribute: (_) @field)
  right: (none) @nothing)
(assignment left: (attribute object: (identifier) @holder attribute: (_) @field))
(assignment left: (identifier) @weak right: (none))
(assignment left: (identifier) @bind)
(augmented_assignment left: (identifier) @bind)
(named_expression name: (identifier) @bind)
(parameters (identifier) @bind)
(lambda_parameters (identifier) @bind)
(default_parameter name: (identifier) @bind)
(list_splat_pattern (identifier) @bind)
(dictionary_splat_pattern (identifier) @bind)
(pattern_list (identifier) @bind)
(tuple_pattern (identifier) @bind)
(list_pattern (identifier) @bind)
(for_statement left: (identifier) @bind)
(for_in_clause left: (identifier) @bind)
(as_pattern_target (identifier) @bind)
(as_pattern_target (tuple (identifier) @bind))
(case_pattern (dotted_name . (identifier) @bind .))
(case_pattern (as_pattern (identifier) @bind))
(keyword_pattern (dotted_name . (identifier) @bind .))
(splat_pattern (identifier) @bind)
(type_alias_statement left: (type (identifier) @bind))
(delete_statement (identifier) @bind)
[(global_statement (identifier) @outside) (nonlocal_statement (identifier) @outside)]
"""


def parse_python(path: str, text: str) -> ParsedFile:
    return read_code(PYTHON, path, text)


def _load_grammar() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


def _parse_chain(text: str) -> Chain | None:
    """Also `super().m`, `Class(…).m`, and the class in an annotation that is quoted or optional."""
    chain = parse_chain(text)
    if chain:
        return chain
    if text.startswith("super("):
        chain = parse_chain(_SUPER.sub("super", text, count=1))
        return ("super()", *chain[1:]) if chain else None
    if match := _QUOTED.fullmatch(text) or _OPTIONAL.fullmatch(text):
        return parse_chain(match.group(match.lastindex or 0))
    match = _CONSTRUCTED.fullmatch(text)
    return parse_chain(f"{match.group(1)}.{match.group(2)}") if match else None


def _make_title(source: SourceCode, parts: Parts) -> str:  # noqa: ARG001
    return module_name(source.path)


def _list_definitions(source: SourceCode, parts: Parts) -> Iterable[Definition]:  # noqa: ARG001
    return (Definition(key, rank=rank) for key, rank in module_keys(source.path))


PYTHON = Language(
    grammar=_load_grammar,
    query=_QUERY,
    imports=read_imports,
    definitions=_list_definitions,
    title=_make_title,
    parse_chain=_parse_chain,
    builtins=frozenset(dir(builtins)),
    super_words=("super()",),
    member_access="direct",
    max_merges=120,
)
