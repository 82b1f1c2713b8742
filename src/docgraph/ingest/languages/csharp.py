"""C#.

Definitions: a type is `cs:Namespace.Outer.Inner`, from the namespaces around it; the parts of a
partial class all have one key, and a reference to a member means the part that defines it.
References: a name that nothing in the file binds may be a type of a namespace around it, the
inner one first, else of a namespace that is used. A namespace has no node: a type of a `using`
directive is a reference, as imported, where the file first names it.
"""

from collections.abc import Callable, Iterator
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
from docgraph.ingest.languages.source import SourceCode, SpanTree
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.reference import Definition

_PLATFORM = ("System", "Microsoft", "Windows")
_MAX_DECLARED = 32  # namespaces in one file; others are left out


def read_imports(source: SourceCode) -> Imports:
    references: list[tuple[Span, str, Targets]] = []
    bindings: list[tuple[str, int, Imported]] = []
    used: list[str] = []
    static: list[Type] = []
    for node in source.nodes("import"):
        name, span, alias = _read_using(source, node)
        if len(name) > MAX_IMPORT_CHARACTERS:
            continue
        target = Type(f"cs:{name}", report_unresolved=not _is_platform(name))
        is_static = any(child.type == "static" for child in node.children)
        if alias is not None:
            bindings.append((source.node_text(alias), alias.start_byte, target))
        elif is_static:
            static.append(target)
        elif not _is_platform(name):
            used.append(f"{name}.")
        if alias is not None or is_static:
            references.append((span, name, target.resolve(()) or ()))
    declared = _list_declared_namespaces(source)
    namespaces = tuple(dict.fromkeys((*declared, *used)))[:MAX_ALTERNATIVES]

    def resolve_unbound(chain: Chain) -> Targets | None:
        if chain[0].endswith("()"):
            return in_order(*(one.resolve(chain) for one in static[:MAX_ALTERNATIVES]))
        return _resolve_type(namespaces, chain) if chain[0][:1].isupper() else None

    return Imports(tuple(references), tuple(bindings), resolve_unbound)


def namespace_lookup(source: SourceCode) -> Callable[[int], str]:
    """From a character's offset to the namespace there, with a dot at its end, or empty."""
    namespaces = sorted(_list_namespaces(source))
    tree = SpanTree([(start, -end) for start, end, _ in namespaces])

    def at(position: int) -> str:
        name, index = "", tree.at(position)
        while index >= 0:
            name, index = f"{namespaces[index][2]}.{name}", tree.parents[index]
        return name

    return at


def _list_namespaces(source: SourceCode) -> list[tuple[int, int, str]]:
    """(start, minus end, name), so that outer ones sort first; one without a block never ends."""
    namespaces: list[tuple[int, int, str]] = []
    for match in source.matches("namespace"):
        node = match["around" if "around" in match else "onwards"][0]
        end = source.character_offset(node.end_byte) if "around" in match else len(source.text) + 1
        name = "".join(source.node_text(match["namespace"][0]).split())
        if len(name) <= MAX_IMPORT_CHARACTERS and len(namespaces) < _MAX_DECLARED:
            namespaces.append((source.character_offset(node.start_byte), -end, name))
    return namespaces


def _list_declared_namespaces(source: SourceCode) -> list[str]:
    """The namespaces around the file's types, inner ones first, else the global one."""
    namespace_at = namespace_lookup(source)
    names: dict[str, None] = {}
    for start, _, _ in sorted(_list_namespaces(source)):
        parts = namespace_at(start).split(".")[:-1]
        names.update((f"{'.'.join(parts[:size])}.", None) for size in range(len(parts), 0, -1))
    return list(names) or [""]


def _read_using(source: SourceCode, node: Node) -> tuple[str, Span, Node | None]:
    alias = node.child_by_field_name("name")
    name = next(reversed(node.named_children), node)
    return "".join(source.node_text(name).split()), span_of(name), alias


def _is_platform(name: str) -> bool:
    return name.partition(".")[0] in _PLATFORM


def _resolve_type(namespaces: tuple[str, ...], chain: Chain) -> Targets | None:
    """In the first namespace that has such a type; else the name may be qualified."""
    types = [Type(f"cs:{name}{chain[0]}", report_unresolved=False) for name in namespaces]
    alternatives = [one.resolve(chain[1:]) for one in types]
    is_call = chain[-1].endswith("()")
    qualified, rest = (chain[:-1], chain[-1:]) if is_call else (chain, ())
    if len(qualified) > 1:
        alternatives.append(
            Type(f"cs:{'.'.join(qualified)}", report_unresolved=False).resolve(rest)
        )
    return in_order(*alternatives)


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


def _load_grammar() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


def _choose_relation(kind: str, chain: Chain) -> str:
    """An interface is called `IName`; an interface inherits its bases."""
    name = chain[-1]
    interface = name[:1] == "I" and name[1:2].isupper()
    return "implements" if interface and kind != "interface" else "inherits"


def _make_title(source: SourceCode, parts: Parts) -> str:
    name = primary_type(parts, PurePosixPath(source.path).stem)
    position = next((part.start for part in parts if part.name == name), 0)
    return namespace_lookup(source)(position) + name


def _list_definitions(source: SourceCode, parts: Parts) -> Iterator[Definition]:
    namespace_at = namespace_lookup(source)
    for index, name in list_types(parts):
        part = parts[index]
        yield Definition(f"cs:{namespace_at(part.start)}{name}", part.suffix)


_CSHARP = Language(
    grammar=_load_grammar,
    query=_QUERY,
    imports=read_imports,
    definitions=_list_definitions,
    title=_make_title,
    parse_chain=parse_type_chain,
    builtins=_BUILTINS,
    base_relation=_choose_relation,
    self_words=("this",),
    super_words=("base",),
    member_access="nested",
    separate_call_names=True,
    callable_variables=True,
    doc_marks=("///", "/**"),
)
