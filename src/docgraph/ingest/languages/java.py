"""Java.

Offers: a type is `java:org.example.Outer.Inner`, from the file's package declaration.
Claims: an import is that key, exactly; a name that no import and nothing in the file binds may
be of the same package, else of a package that is imported whole. A package has no node, so
`import a.*` claims nothing by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from tree_sitter import Node

from docgraph.ingest.languages.bindings import Aims, Chain, Imported, in_order
from docgraph.ingest.languages.language import Imports, Language, Parts, Span, whole
from docgraph.ingest.languages.qualified_types import Type, primary, type_chain, types
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.languages.source import Source
from docgraph.ingest.parsed_file import Handle, ParsedFile

# What a Java file imports, and where the names that it does not import may lead.


_PLATFORM = ("java.", "javax.", "jdk.")


def package_of(source: Source) -> str:
    """With a dot at its end, or empty."""
    return next((f"{''.join(name.split())}." for name, _ in source.names("package")), "")


def imports(source: Source) -> Imports:
    taken = [_taken(source, node) for node in source.nodes("import")]
    single = [one for one in taken if not one.all_of_it]
    packages = [f"{one.name}." for one in taken if one.all_of_it and not one.static]
    static = [one.name for one in taken if one.all_of_it and one.static]

    def elsewhere(chain: Chain) -> Aims | None:
        first = chain[0]
        if first.endswith("()"):
            found = [Type(f"java:{name}") for name in static]
            return in_order(*(one.aims(chain) for one in found))
        if first[:1].isupper():
            scopes = (package_of(source), *packages)
            found = [Type(f"java:{scope}{first}", told=False) for scope in scopes]
            return in_order(*(one.aims(chain[1:]) for one in found))
        return _in_full(chain)

    return Imports(
        tuple((one.span, one.name, one.aims()) for one in (*single, *_static_types(taken))),
        tuple(name for one in single for name in one.names()),
        elsewhere,
    )


@dataclass(frozen=True, slots=True)
class _Taken:
    name: str
    span: Span
    static: bool
    all_of_it: bool

    def type(self) -> Type:
        """`import static a.B.c` names something in a type."""
        told = not self.name.startswith(_PLATFORM)
        if self.static and not self.all_of_it:
            name, _, member = self.name.rpartition(".")
            return Type(f"java:{name}", (member,), told=told)
        return Type(f"java:{self.name}", told=told)

    def aims(self) -> Aims:
        return self.type().aims(()) or ()

    def names(self) -> tuple[tuple[str, int, Imported], ...]:
        last, place = self.name.rpartition(".")[2], self.span[0]
        called = ((f"{last}()", place, self.type()),) if self.static else ()
        return ((last, place, self.type()), *called)


def _static_types(taken: list[_Taken]) -> list[_Taken]:
    """`import static a.B.*` names a type, where `import a.*` names a package without a node."""
    return [one for one in taken if one.static and one.all_of_it]


def _taken(source: Source, node: Node) -> _Taken:
    kinds = {child.type: child for child in node.children}
    name = kinds.get("scoped_identifier") or kinds.get("identifier") or node
    said = "".join(source.node_text(name).split())
    return _Taken(said, whole(name), "static" in kinds, "asterisk" in kinds)


def _in_full(chain: Chain) -> Aims | None:
    """`org.example.Type.method`: the first capital letter begins the type's name."""
    at = next((at for at, name in enumerate(chain) if name[:1].isupper()), 0)
    told = not f"{chain[0]}.".startswith(_PLATFORM)
    return (
        Type(f"java:{'.'.join(chain[: at + 1])}", told=told).aims(chain[at + 1 :]) if at else None
    )


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


def parse_java(path: str, text: str) -> ParsedFile:
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
