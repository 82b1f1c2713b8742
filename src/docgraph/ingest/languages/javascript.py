"""JavaScript, with JSX.

Definitions: a file is `js:web/app` without its suffix, an `index` also by its folder; what it
exports is `js:web/app#name`, with `#default` for the default and for `module.exports`. Files
below `node_modules` are `npm:name/…` too. TypeScript comes before JavaScript of the same name.
References: a relative specifier is exactly one `js:`, a bare one the nearest `npm:`. Path aliases
of build tools are not followed.
"""

from dataclasses import replace

from docgraph.ingest.languages.javascript_exports import list_definitions
from docgraph.ingest.languages.javascript_modules import make_title, read_imports
from docgraph.ingest.languages.language import Language
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.parsed_file import ParsedFile

_FUNCTION = """[
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]"""

# What JavaScript and TypeScript share.
QUERY = f"""
(comment) @comment
(decorator) @decorator
(class_declaration name: (_) @name body: (_) @body) @class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(assignment_expression left: (member_expression property: (_) @name)
  right: (class !name body: (_) @body)) @class @detached
(assignment_expression left: (member_expression)
  right: (class name: (_) @name body: (_) @body)) @class @detached
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(method_definition name: (_) @name body: (_) @body) @function
(variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
(pair key: (_) @name value: {_FUNCTION}) @function
(assignment_expression left: (member_expression property: (_) @name)
  right: {_FUNCTION}) @function @detached
(export_statement "default" @name value: {_FUNCTION}) @function @detached
(export_statement declaration: (_) @inner) @outer
(lexical_declaration . (variable_declarator) @inner) @outer
(variable_declaration . (variable_declarator) @inner) @outer
(expression_statement . (assignment_expression) @inner) @outer

(object) @object
[(arrow_function) (function_expression) (generator_function)] @closure
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body)] @scope
[(function_declaration) (generator_function_declaration)] @rebinds
[(function_expression) (generator_function)] @rebinds

[(import_statement) (export_statement source: (_))] @import
(call_expression
  function: [(identifier) (import)] @require arguments: (arguments . (string) @module))
(variable_declarator name: (_) @required
  value: (call_expression function: (identifier) @by arguments: (arguments . (string) @of)))
(variable_declarator name: (identifier) @required value: (member_expression
  object: (call_expression function: (identifier) @by arguments: (arguments . (string) @of))
  property: (property_identifier) @member))
(export_statement !source) @export
(assignment_expression left: (member_expression)) @exporting

(call_expression function: (_) @call)
(new_expression constructor: (_) @new)
(decorator [(identifier) (member_expression)] @call)
(variable_declarator name: (identifier) @typed value: (new_expression constructor: (_) @type))
(assignment_expression left: (member_expression object: (this) @holder property: (_) @field)
  right: (new_expression constructor: (_) @type))
(assignment_expression left: (member_expression object: (this) @holder property: (_) @field)
  right: (identifier) @alias)
(assignment_expression left: (member_expression object: (this) @holder property: (_) @field)
  right: (null) @nothing)
(assignment_expression left: (member_expression object: (this) @holder property: (_) @field))

(function_expression name: (identifier) @bind)
(lexical_declaration (variable_declarator name: (identifier) @bind))
(variable_declaration (variable_declarator name: (identifier) @hoist))
(shorthand_property_identifier_pattern) @bind
(pair_pattern value: (identifier) @bind)
(array_pattern (identifier) @bind)
(rest_pattern (identifier) @bind)
(assignment_pattern left: (identifier) @bind)
(arrow_function parameter: (identifier) @bind)
(catch_clause parameter: (identifier) @bind)
(for_in_statement left: (identifier) @bind)
(assignment_expression left: (identifier) @assign)
(augmented_assignment_expression left: (identifier) @assign)
"""

JSX = """
(jsx_opening_element name: (_) @element)
(jsx_self_closing_element name: (_) @element)
"""

_JAVASCRIPT_ONLY = """
(class_declaration (class_heritage (_) @inherits))
(class (class_heritage (_) @inherits))
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @function
(field_definition property: (property_identifier) @typed
  value: (new_expression constructor: (_) @type))
(formal_parameters (identifier) @bind)
"""

# What the language itself provides, in a browser or in Node.
_BUILTINS = frozenset(
    {
        *("Array", "ArrayBuffer", "BigInt", "Boolean", "Buffer", "DataView", "Date", "Error"),
        *("Float32Array", "Float64Array", "Function", "Int16Array", "Int32Array", "Int8Array"),
        *("Intl", "JSON", "Map", "Math", "Number", "Object", "Promise", "Proxy", "RangeError"),
        *("ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError"),
        *("TypeError", "URL", "URLSearchParams", "Uint16Array", "Uint32Array", "Uint8Array"),
        *("WeakMap", "WeakRef", "WeakSet", "atob", "btoa", "clearInterval", "clearTimeout"),
        *("console", "decodeURI", "decodeURIComponent", "document", "encodeURI"),
        *("encodeURIComponent", "eval", "fetch", "globalThis", "import", "isFinite", "isNaN"),
        *("parseFloat", "parseInt", "process", "queueMicrotask", "require", "setImmediate"),
        *("setInterval", "setTimeout", "structuredClone", "window"),
    }
)


def parse_javascript(path: str, text: str) -> ParsedFile:
    return read_code(JAVASCRIPT, path, text)


def _load_javascript() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def strip_quotes(name: str) -> str:
    return name.strip("'\"")


JAVASCRIPT = Language(
    grammar=_load_javascript,
    query=QUERY + JSX + _JAVASCRIPT_ONLY,
    imports=read_imports,
    definitions=list_definitions,
    title=make_title,
    definition_name=strip_quotes,
    builtins=_BUILTINS,
    self_words=("this",),
    super_words=("super",),
    doc_marks=("/**", "//", "/*"),
)


# TypeScript has JavaScript's keys, and types where the text gives them.
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


def parse_typescript(path: str, text: str) -> ParsedFile:
    return read_code(_TYPESCRIPT, path, text)


def parse_tsx(path: str, text: str) -> ParsedFile:
    return read_code(_TSX, path, text)


def _load_typescript() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _load_tsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


_TYPESCRIPT = replace(JAVASCRIPT, grammar=_load_typescript, query=QUERY + _TYPED)
_TSX = replace(JAVASCRIPT, grammar=_load_tsx, query=QUERY + JSX + _TYPED)
