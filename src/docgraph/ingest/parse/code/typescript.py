"""TypeScript, with and without JSX: JavaScript's keys, and types where the text gives them."""

from dataclasses import replace

from docgraph.ingest.parse.code.javascript import JAVASCRIPT, JSX, QUERY
from docgraph.ingest.parse.code.read_code import read_code
from docgraph.ingest.parsed import Parsed

_TYPE = """(type_annotation [
  (type_identifier) @type (nested_type_identifier) @type (generic_type name: (_) @type)
])"""

_TYPED = f"""
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(method_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @function
(function_signature name: (_) @name) @function
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @function
(ambient_declaration . (_) @inner) @outer

(extends_clause value: (_) @inherits)
(implements_clause [(type_identifier) (nested_type_identifier)] @implements)
(implements_clause (generic_type name: (_) @implements))
(extends_type_clause type: [(type_identifier) (nested_type_identifier)] @inherits)
(extends_type_clause type: (generic_type name: (_) @inherits))

(required_parameter pattern: (identifier) @typed type: {_TYPE})
(optional_parameter pattern: (identifier) @typed type: {_TYPE})
(variable_declarator name: (identifier) @typed type: {_TYPE})
(public_field_definition name: (property_identifier) @typed type: {_TYPE})
(public_field_definition name: (property_identifier) @typed
  value: (new_expression constructor: (_) @type))
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: {_TYPE})
(required_parameter pattern: (identifier) @bind)
(optional_parameter pattern: (identifier) @bind)
(public_field_definition name: (property_identifier) @bind)
"""


def parse_typescript(path: str, text: str) -> Parsed:
    return read_code(_TYPESCRIPT, path, text)


def parse_tsx(path: str, text: str) -> Parsed:
    return read_code(_TSX, path, text)


def _typescript_grammar() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx_grammar() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


_TYPESCRIPT = replace(JAVASCRIPT, grammar=_typescript_grammar, query=QUERY + _TYPED)
_TSX = replace(JAVASCRIPT, grammar=_tsx_grammar, query=QUERY + JSX + _TYPED)
