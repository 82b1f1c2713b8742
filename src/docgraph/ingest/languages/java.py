"""Java.

Definitions: a type is `java:org.example.Outer.Inner`, from the file's package declaration.
References: an import is that key, exactly; a name that no import and nothing in the file binds
may be of the same package, else of a package that is imported whole. A package has no node, so
`import a.*` is no reference by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from docgraph.ingest.languages.bindings import (
    MAX_ALTERNATIVES,
    MAX_IMPORT_CHARACTERS,
    Chain,
    Imported,
    Targets,
    in_order,
)
from docgraph.ingest.languages.language import Imports, Language, Parts, Span, span_of
from docgraph.ingest.languages.qualified_types import (
    Type,
    list_types,
    parse_type_chain,
    primary_type,
)
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.languages.source import SourceCode
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.reference import Definition

_PLATFORM = ("java.", "javax.", "jdk.")


def package_of(source: SourceCode) -> str:
    """With a dot at its end, or empty."""
    nodes = source.nodes("package")[:1]
    name = "".join(source.node_text(nodes[0]).split()) if nodes else ""
    return f"{name}." if 0 < len(name) <= MAX_IMPORT_CHARACTERS else ""


def read_imports(source: SourceCode) -> Imports:
    every = (_read_import(source, node) for node in source.nodes("import"))
    imports = [one for one in every if len(one.name) <= MAX_IMPORT_CHARACTERS]
    single = [one for one in imports if not one.wildcard]
    whole = (f"{one.name}." for one in imports if one.wildcard and not one.static)
    scopes = tuple(dict.fromkeys((package_of(source), *whole)))[:MAX_ALTERNATIVES]
    # `import static a.B.*` names a type, where `import a.*` names a package without a node.
    static = [one for one in imports if one.wildcard and one.static]

    def resolve_unbound(chain: Chain) -> Targets | None:
        first = chain[0]
        if first.endswith("()"):
            types = [Type(f"java:{one.name}") for one in static[:MAX_ALTERNATIVES]]
            return in_order(*(one.resolve(chain) for one in types))
        if first[:1].isupper():
            types = [Type(f"java:{scope}{first}", report_unresolved=False) for scope in scopes]
            return in_order(*(one.resolve(chain[1:]) for one in types))
        return _resolve_qualified(chain)

    return Imports(
        tuple((one.span, one.name, one.targets()) for one in (*single, *static)),
        tuple(binding for one in single for binding in one.bindings()),
        resolve_unbound,
    )


@dataclass(frozen=True, slots=True)
class _JavaImport:
    name: str
    span: Span
    static: bool
    wildcard: bool

    def type(self) -> Type:
        """`import static a.B.c` names a member of a type."""
        report_unresolved = not self.name.startswith(_PLATFORM)
        if self.static and not self.wildcard:
            name, _, member = self.name.rpartition(".")
            return Type(f"java:{name}", (member,), report_unresolved=report_unresolved)
        return Type(f"java:{self.name}", report_unresolved=report_unresolved)

    def targets(self) -> Targets:
        return self.type().resolve(()) or ()

    def bindings(self) -> tuple[tuple[str, int, Imported], ...]:
        last, position = self.name.rpartition(".")[2], self.span[0]
        method = ((f"{last}()", position, self.type()),) if self.static else ()
        return ((last, position, self.type()), *method)


def _read_import(source: SourceCode, node: Node) -> _JavaImport:
    kinds = {child.type: child for child in node.children}
    name = kinds.get("scoped_identifier") or kinds.get("identifier") or node
    text = "".join(source.node_text(name).split())
    return _JavaImport(text, span_of(name), "static" in kinds, "asterisk" in kinds)


def _resolve_qualified(chain: Chain) -> Targets | None:
    """`org.example.Type.method`: the first capital letter begins the type's name."""
    at = next((at for at, name in enumerate(chain) if name[:1].isupper()), 0)
    if not at:
        return None
    report_unresolved = not f"{chain[0]}.".startswith(_PLATFORM)
    return Type(f"java:{'.'.join(chain[: at + 1])}", report_unresolved=report_unresolved).resolve(
        chain[at + 1 :]
    )


_TYPE = "[(type_identifier) (scoped_type_identifier) (generic_type)] @type"

# What every file has from `java.lang`.
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


def parse_java(path: str, text: str) -> ParsedFile:
    return read_code(_JAVA, path, text)


def _load_grammar() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _find_callee(call: Node) -> Span:
    name = call.child_by_field_name("name")
    return call.start_byte, (name or call).end_byte


def _make_title(source: SourceCode, parts: Parts) -> str:
    return package_of(source) + primary_type(parts, PurePosixPath(source.path).stem)


def _list_definitions(source: SourceCode, parts: Parts) -> Iterator[Definition]:
    package = package_of(source)
    for index, name in list_types(parts):
        yield Definition(f"java:{package}{name}", parts[index].suffix)


_JAVA = Language(
    grammar=_load_grammar,
    query=_QUERY,
    imports=read_imports,
    definitions=_list_definitions,
    title=_make_title,
    callee=_find_callee,
    parse_chain=parse_type_chain,
    builtins=_BUILTINS,
    self_words=("this",),
    super_words=("super",),
    member_access="nested",
    separate_call_names=True,
    doc_marks=("/**",),
)
