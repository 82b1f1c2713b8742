"""C#.

Offers: a type is `cs:Namespace.Outer.Inner`, from the namespaces around it; the parts of a
partial class all go by one key, and who has the member that is named answers.
Claims: a name that nothing in the file binds may be a type of a namespace around it, the inner
one first, else of a namespace that is used. A namespace has no node: a type that `using` brings
in is claimed as imported where the file first names it.
"""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from docgraph.ingest.languages.bindings import Aims, Chain, Imported, in_order
from docgraph.ingest.languages.language import Imports, Language, Parts, Span, whole
from docgraph.ingest.languages.qualified_types import Type, primary, type_chain, types
from docgraph.ingest.languages.read_code import read_code
from docgraph.ingest.languages.source import Source, SpanTree
from docgraph.ingest.parsed_file import Handle, ParsedFile

# Namespaces of a C# file: those around its types, and those that it uses.


_PLATFORM = ("System", "Microsoft", "Windows")
_MOST = 12  # namespaces in which one name is looked for


def imports(source: Source) -> Imports:
    claims: list[tuple[Span, str, Aims]] = []
    names: list[tuple[str, int, Imported]] = []
    used: list[str] = []
    static: list[Type] = []
    for node in source.nodes("import"):
        name, span, alias = _using(source, node)
        found = Type(f"cs:{name}", told=not _platform(name))
        is_static = any(child.type == "static" for child in node.children)
        if alias is not None:
            names.append((source.node_text(alias), alias.start_byte, found))
        elif is_static:
            static.append(found)
        elif not _platform(name):
            used.append(f"{name}.")
        if alias is not None or is_static:
            claims.append((span, name, found.aims(()) or ()))
    namespaces = tuple(dict.fromkeys((*_declared(source), *used)))[:_MOST]

    def elsewhere(chain: Chain) -> Aims | None:
        if chain[0].endswith("()"):
            return in_order(*(one.aims(chain) for one in static))
        return _of_a_type(namespaces, chain) if chain[0][:1].isupper() else None

    return Imports(tuple(claims), tuple(names), elsewhere)


def namespace_at(source: Source) -> Callable[[int], str]:
    """From a character's offset to the namespace there, with a dot at its end, or empty."""
    found = sorted(_namespaces(source))
    nesting = SpanTree([(start, -end) for start, end, _ in found])

    def at(place: int) -> str:
        name, index = "", nesting.at(place)
        while index >= 0:
            name, index = f"{found[index][2]}.{name}", nesting.parents[index]
        return name

    return at


def _namespaces(source: Source) -> list[tuple[int, int, str]]:
    """(start, minus end, name), so that outer ones come first; one without a block never ends."""
    found = []
    for match in source.matches("namespace"):
        node = match["around" if "around" in match else "onwards"][0]
        end = source.place(node.end_byte) if "around" in match else len(source.text) + 1
        name = "".join(source.node_text(match["namespace"][0]).split())
        found.append((source.place(node.start_byte), -end, name))
    return found


def _declared(source: Source) -> list[str]:
    """The namespaces around the file's types, inner ones first, else the nameless one."""
    at = namespace_at(source)
    found: dict[str, None] = {}
    for start, _, _ in sorted(_namespaces(source)):
        parts = at(start).split(".")[:-1]
        found.update((f"{'.'.join(parts[:size])}.", None) for size in range(len(parts), 0, -1))
    return list(found) or [""]


def _using(source: Source, node: Node) -> tuple[str, Span, Node | None]:
    alias = node.child_by_field_name("name")
    name = next(reversed(node.named_children), node)
    return "".join(source.node_text(name).split()), whole(name), alias


def _platform(name: str) -> bool:
    return name.partition(".")[0] in _PLATFORM


def _of_a_type(namespaces: tuple[str, ...], chain: Chain) -> Aims | None:
    """In the first namespace that has such a type; else the name may be given in full."""
    near = [Type(f"cs:{name}{chain[0]}", told=False).aims(chain[1:]) for name in namespaces]
    called = chain[-1].endswith("()")
    full, rest = (chain[:-1], chain[-1:]) if called else (chain, ())
    if len(full) > 1:
        near.append(Type(f"cs:{'.'.join(full)}", told=False).aims(rest))
    return in_order(*near)


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


def parse_csharp(path: str, text: str) -> ParsedFile:
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
