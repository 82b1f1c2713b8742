"""C#.

Offers: a type is `cs:Namespace.Outer.Inner`, from the namespaces around it; the parts of a
partial class all go by one key, and who has the member that is named answers.
Claims: a name that nothing in the file binds may be a type of a namespace around it, the inner
one first, else of a namespace that is used. A namespace has no node: a type that `using` brings
in is claimed as imported where the file first names it.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from docgraph.ingest.parse.code.csharp_imports import imports, namespace_at
from docgraph.ingest.parse.code.full_names import primary, type_chain, types
from docgraph.ingest.parse.code.language import Language, Parts
from docgraph.ingest.parse.code.meaning import Chain
from docgraph.ingest.parse.code.read_code import read_code
from docgraph.ingest.parse.code.source import Source
from docgraph.ingest.parsed import Handle, Parsed

_NAMED = "[(identifier) (qualified_name) (generic_name) (nullable_type)]"
_TYPE = f"{_NAMED} @type"

# What nearly every file has from `System`.
_BUILTINS = frozenset(
    {
        *("Action", "ArgumentException", "ArgumentNullException", "Array", "Console", "Convert"),
        *("DateTime", "Dictionary", "Environment", "Exception", "Func", "Guid", "IDisposable"),
        *("IEnumerable", "InvalidOperationException", "List", "Math", "NotImplementedException"),
        *("Nullable", "nameof()", "Object", "String", "StringBuilder", "Task", "Tuple", "Type"),
    }
)

_QUERY = f"""
(comment) @comment
(class_declaration name: (_) @name body: (_) @body) @class
(struct_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name !body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(method_declaration name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name !body) @function
(constructor_declaration name: (_) @name body: (_) @body) @function
(local_function_statement name: (_) @name body: (_) @body) @function

[(lambda_expression) (anonymous_method_expression)] @closure
[(block) (for_statement) (foreach_statement) (using_statement) (catch_clause)] @scope
(switch_section) @scope

(namespace_declaration name: (_) @namespace) @around
(file_scoped_namespace_declaration name: (_) @namespace) @onwards
(using_directive) @import

(invocation_expression function: (_) @call)
(object_creation_expression type: (_) @new)
(constructor_initializer "base" @new)
(base_list {_NAMED} @base)
(base_list (primary_constructor_base_type type: (_) @base))
(object_creation_expression type: {_NAMED} @imports)
(parameter type: {_NAMED} @imports)
(variable_declaration type: {_NAMED} @imports)
(property_declaration type: {_NAMED} @imports)
(method_declaration returns: {_NAMED} @imports)
(base_list {_NAMED} @imports)
(type_argument_list {_NAMED} @imports)

(parameter type: {_TYPE} name: (identifier) @typed)
(variable_declaration type: {_TYPE} (variable_declarator name: (identifier) @typed))
(variable_declarator name: (identifier) @typed (object_creation_expression type: (_) @type))
(property_declaration type: {_TYPE} name: (identifier) @typed)
(foreach_statement type: {_TYPE} left: (identifier) @typed)
(declaration_pattern type: {_TYPE} name: (identifier) @typed)
(parameter name: (identifier) @bind)
(variable_declarator name: (identifier) @bind)
(property_declaration name: (identifier) @bind)
(foreach_statement left: (identifier) @bind)
(declaration_pattern name: (identifier) @bind)
(catch_declaration name: (identifier) @bind)
(implicit_parameter) @bind
(type_parameter name: (identifier) @bind)
"""


def parse_csharp(path: str, text: str) -> Parsed:
    return read_code(_CSHARP, path, text)


def _grammar() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _base(kind: str, chain: Chain) -> str:
    """An interface is called `IName`; what an interface is built on it inherits."""
    name = chain[-1]
    interface = name[:1] == "I" and name[1:2].isupper()
    return "implements" if interface and kind != "interface" else "inherits"


def _title(source: Source, parts: Parts) -> str:
    stem = PurePosixPath(source.path).stem
    name = primary(parts, stem)
    place = next((part.start for part in parts if part.name == name), 0)
    return namespace_at(source)(place) + name


def _offers(source: Source, parts: Parts) -> Iterator[Handle]:
    namespace = namespace_at(source)
    for index, name in types(parts):
        yield Handle(f"cs:{namespace(parts[index].start)}{name}", index)


_CSHARP = Language(
    grammar=_grammar,
    query=_QUERY,
    imports=imports,
    offers=_offers,
    title=_title,
    chain=type_chain,
    builtins=_BUILTINS,
    base=_base,
    self_words=("this",),
    super_words=("base",),
    members="nested",
    calls_apart=True,
    delegates=True,
    doc_marks=("///", "/**"),
)
