"""Java.

Offers: a type is `java:org.example.Outer.Inner`, from the file's package declaration.
Claims: an import is that key, exactly; a name that no import and nothing in the file binds may
be of the same package, else of a package that is imported whole. A package has no node, so
`import a.*` claims nothing by itself.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from docgraph.ingest.parse.code.full_names import primary, type_chain, types
from docgraph.ingest.parse.code.java_imports import imports, package_of
from docgraph.ingest.parse.code.language import Language, Parts, Span
from docgraph.ingest.parse.code.read_code import read_code
from docgraph.ingest.parse.code.source import Source
from docgraph.ingest.parsed import Handle, Parsed

_TYPE = "[(type_identifier) (scoped_type_identifier) (generic_type)] @type"

# What `java.lang` brings into every file.
_BUILTINS = frozenset(
    {
        *("Boolean", "Byte", "Character", "Class", "Double", "Enum", "Error", "Exception"),
        *("Float", "IllegalArgumentException", "IllegalStateException", "Integer", "Iterable"),
        *("Long", "Math", "NullPointerException", "Number", "Object", "Process", "Runnable"),
        *("Runtime", "RuntimeException", "Short", "String", "StringBuffer", "StringBuilder"),
        *("System", "Thread", "ThreadLocal", "Throwable", "Void"),
    }
)

_QUERY = f"""
[(line_comment) (block_comment)] @comment
(class_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(method_declaration name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name !body) @function
(constructor_declaration name: (_) @name body: (_) @body) @function

(object_creation_expression (class_body) @object)
(enum_constant body: (class_body) @object)
(lambda_expression) @closure
[(block) (for_statement) (enhanced_for_statement) (catch_clause)] @scope
[(try_with_resources_statement) (switch_block)] @scope

(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration) @import

(method_invocation) @call
(object_creation_expression type: (_) @new)
(explicit_constructor_invocation constructor: (super) @new)
(superclass (_) @inherits)
(super_interfaces (type_list (_) @implements))
(extends_interfaces (type_list (_) @inherits))

(formal_parameter type: {_TYPE} name: (identifier) @typed)
(field_declaration type: {_TYPE} declarator: (variable_declarator name: (identifier) @typed))
(local_variable_declaration type: {_TYPE}
  declarator: (variable_declarator name: (identifier) @typed))
(variable_declarator name: (identifier) @typed
  value: (object_creation_expression type: (_) @type))
(enhanced_for_statement type: {_TYPE} name: (identifier) @typed)
(resource type: {_TYPE} name: (identifier) @typed)
(instanceof_expression right: {_TYPE} name: (identifier) @typed)
(variable_declarator name: (identifier) @bind)
(formal_parameter name: (identifier) @bind)
(catch_formal_parameter name: (identifier) @bind)
(enhanced_for_statement name: (identifier) @bind)
(resource name: (identifier) @bind)
(instanceof_expression name: (identifier) @bind)
(lambda_expression parameters: (identifier) @bind)
(inferred_parameters (identifier) @bind)
(type_parameter . (type_identifier) @bind)
"""


def parse_java(path: str, text: str) -> Parsed:
    return read_code(_JAVA, path, text)


def _grammar() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _callee(call: Node) -> Span:
    name = call.child_by_field_name("name")
    return call.start_byte, (name or call).end_byte


def _title(source: Source, parts: Parts) -> str:
    return package_of(source) + primary(parts, PurePosixPath(source.path).stem)


def _offers(source: Source, parts: Parts) -> Iterator[Handle]:
    package = package_of(source)
    yield from (Handle(f"java:{package}{name}", index) for index, name in types(parts))


_JAVA = Language(
    grammar=_grammar,
    query=_QUERY,
    imports=imports,
    offers=_offers,
    title=_title,
    callee=_callee,
    chain=type_chain,
    builtins=_BUILTINS,
    self_words=("this",),
    super_words=("super",),
    members="nested",
    calls_apart=True,
    doc_marks=("/**",),
)
