"""JavaScript, with JSX.

Offers: a file is `js:web/app` without its suffix, an `index` also by its folder; what it exports
is `js:web/app#name`, with `#default` for the default and for `module.exports`. Files below
`node_modules` are `npm:name/…` too. TypeScript comes before JavaScript of the same name.
Claims: a relative specifier is exactly one `js:`, a bare one the nearest `npm:`. Paths that a
build tool makes up are not followed.
"""

from docgraph.ingest.parse.code.javascript_exports import offers
from docgraph.ingest.parse.code.javascript_imports import imports
from docgraph.ingest.parse.code.javascript_modules import title
from docgraph.ingest.parse.code.language import Language
from docgraph.ingest.parse.code.read_code import read_code
from docgraph.ingest.parsed import Parsed

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

_ALONE = """
(class_declaration (class_heritage (_) @inherits))
(class (class_heritage (_) @inherits))
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @function
(field_definition property: (property_identifier) @typed
  value: (new_expression constructor: (_) @type))
(formal_parameters (identifier) @bind)
"""

# What the language itself brings, in a browser or in Node.
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


def parse_javascript(path: str, text: str) -> Parsed:
    return read_code(JAVASCRIPT, path, text)


def _javascript_grammar() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def unquoted(name: str) -> str:
    return name.strip("'\"")


JAVASCRIPT = Language(
    grammar=_javascript_grammar,
    query=QUERY + JSX + _ALONE,
    imports=imports,
    offers=offers,
    title=title,
    spelled=unquoted,
    builtins=_BUILTINS,
    self_words=("this",),
    super_words=("super",),
    doc_marks=("/**", "//", "/*"),
)
