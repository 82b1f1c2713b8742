"""What a JavaScript file imports or requires, and what those names then mean."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from docgraph.ingest.languages.bindings import Aim, Aims, Chain, Imported
from docgraph.ingest.languages.language import Imports, Parts, Span, whole
from docgraph.ingest.languages.source import Source

# By which keys a file of JavaScript goes, and which keys a specifier may mean.


# In the order in which one of several files with the same stem is meant.
_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
_OTHER_SUFFIXES = (".json", ".css", ".scss", ".less", ".svg", ".png", ".html", ".wasm", ".node")
_INDEX_RANK = 10
_NEAR = 4
_PACKAGES = "node_modules/"
_NODE = frozenset(
    {
        *("assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants"),
        *("crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http"),
        *("http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process"),
        *("punycode", "querystring", "readline", "repl", "stream", "string_decoder", "timers"),
        *("tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads"),
        "zlib",
    }
)


def title(source: Source, parts: Parts) -> str:  # noqa: ARG001
    return _stem(source.path)[0] or source.path


def file_keys(path: str) -> Iterator[tuple[str, int]]:
    """Keys with their ranks; an `index` stands for its folder."""
    stem, rank = _stem(path)
    yield f"js:{stem}", rank
    folder, _, name = stem.rpartition("/")
    if name == "index":
        yield f"js:{folder}", _INDEX_RANK + rank
    if _PACKAGES in path:
        package = stem.rpartition(_PACKAGES)[2]
        yield f"npm:{package}", rank
        if name == "index":
            yield f"npm:{package.removesuffix('/index')}", _INDEX_RANK + rank


def specifier_aim(importer: str, specifier: str) -> Aim | None:
    """None for what lies outside the tree."""
    if specifier.startswith("/"):
        return None
    if not specifier.startswith("."):
        told = specifier.partition("/")[0] not in _NODE and ":" not in specifier
        return Aim(f"npm:{specifier}", near=_NEAR, reported=told)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
    if path.startswith(".."):
        return None
    if path.endswith(_OTHER_SUFFIXES):
        return Aim(f"path:{path}", reported=False)
    return Aim(f"js:{_stem(path)[0] if path != '.' else ''}")


def _stem(path: str) -> tuple[str, int]:
    """The longest suffix counts: `a.d.ts` is `a`."""
    for rank in range(len(_SUFFIXES) - 1, -1, -1):
        if path.endswith(_SUFFIXES[rank]):
            return path.removesuffix(_SUFFIXES[rank]), rank
    return path, len(_SUFFIXES)


# What an imported name means in JavaScript: an export, the default, or all of a module.


_LESS = 2  # the rank of the less likely of two readings


@dataclass(frozen=True, slots=True)
class Exported:
    """`import {name} from`, `const {name} = require`."""

    module: Aim
    name: str

    def aims(self, rest: Chain) -> Aims | None:
        return _followed(export_of(self.module, self.name, rest))

    member = aims


@dataclass(frozen=True, slots=True)
class Namespace:
    """`import * as name from`."""

    module: Aim

    def aims(self, rest: Chain) -> Aims | None:
        return _followed(export_of(self.module, rest[0], rest[1:])) if rest else None

    member = aims


@dataclass(frozen=True, slots=True)
class Default:
    """`import name from` and `const name = require`: the default, or else all exports."""

    module: Aim
    named_first: bool = False

    def aims(self, rest: Chain) -> Aims | None:
        default = export_of(self.module, "default", rest)
        if not rest:
            return _followed(default)
        named = export_of(self.module, rest[0], rest[1:])
        first, second = (named, default) if self.named_first else (default, named)
        return _followed(first, second._replace(rank=second.rank + _LESS))

    member = aims


def _followed(*aims: Aim) -> Aims:
    """What Node itself brings is nobody's to offer."""
    return tuple(aim for aim in aims if aim.reported)


def export_of(module: Aim, name: str, rest: Chain) -> Aim:
    inner = f".{'.'.join(rest)}" if rest else ""
    return module._replace(key=f"{module.key}#{name}", inner=inner, strict=bool(rest))


_CLAUSES = frozenset({"import_clause", "import_require_clause", "export_clause"})


@dataclass(frozen=True, slots=True)
class _Taken:
    """`name` of a module at a span, bound to `alias` if there is one; `*` is all of it."""

    name: str
    span: Span
    alias: str = ""
    place: int = 0
    named_first: bool = False

    def meaning(self, module: Aim) -> Imported:
        if self.name == "*":
            return Namespace(module)
        if self.name == "default":
            return Default(module, self.named_first)
        return Exported(module, self.name)


def imports(source: Source) -> Imports:
    claims: list[tuple[Span, str, Aims]] = []
    names: list[tuple[str, int, Imported]] = []
    for string, named, taken in (*_statements(source), *_required(source)):
        span = (string.start_byte + 1, string.end_byte - 1)
        specifier = source.text_at(*span)
        module = specifier_aim(source.path, specifier)
        if module is None or not specifier:
            continue
        if named:
            claims.append((span, specifier, (module,)))
        for one in taken:
            if module.reported and one.name not in {"*", "default"}:
                aim = export_of(module, one.name, ())._replace(reported=False)
                claims.append((one.span, f"{specifier}:{one.name}", (aim,)))
            if one.alias:
                names.append((one.alias, one.place, one.meaning(module)))
    return Imports(tuple(claims), tuple(names))


def _statements(source: Source) -> Iterator[tuple[Node, bool, list[_Taken]]]:
    for node in source.nodes("import"):
        clauses = [child for child in node.named_children if child.type in _CLAUSES]
        string = node.child_by_field_name("source")
        for clause in clauses if string is None else ():
            string = clause.child_by_field_name("source")
        if string is not None:
            yield string, True, [one for clause in clauses for one in _clause(source, clause)]


def _clause(source: Source, clause: Node) -> Iterator[_Taken]:
    for node in clause.named_children:
        if node.type == "identifier":
            yield _whole(source, node, "default")
        elif node.type == "namespace_import":
            yield from (_whole(source, name, "*") for name in node.named_children[:1])
        elif node.type == "named_imports":
            yield from (_specifier(source, one) for one in _specifiers(node))
        elif node.type == "export_specifier":
            yield replace(_specifier(source, node), alias="")


def _specifiers(node: Node) -> Iterator[Node]:
    return (child for child in node.named_children if child.type == "import_specifier")


def _specifier(source: Source, node: Node) -> _Taken:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias") or name
    return _Taken(source.node_text(name), whole(name), source.node_text(alias), alias.start_byte)


def _whole(source: Source, node: Node, name: str) -> _Taken:
    return _Taken(name, whole(node), source.node_text(node), node.start_byte)


def _required(source: Source) -> Iterator[tuple[Node, bool, list[_Taken]]]:
    for match in source.matches("require"):
        if source.node_text(match["require"][0]) in {"require", "import"}:
            yield match["module"][0], True, []
    for match in source.matches("required"):
        if source.node_text(match["by"][0]) == "require":
            target, member = match["required"][0], match.get("member")
            yield match["of"][0], False, list(_assigned(source, target, member))


def _assigned(source: Source, target: Node, member: list[Node] | None) -> Iterator[_Taken]:
    """`const a = require(…)`, `const a = require(…).b`, `const {a, b: c} = require(…)`."""
    if target.type == "identifier":
        alias, place = source.node_text(target), target.start_byte
        if member:
            yield _Taken(source.node_text(member[0]), whole(member[0]), alias, place)
        else:
            yield _Taken("default", whole(target), alias, place, named_first=True)
    for node in target.named_children:
        key = node.child_by_field_name("key") or node
        value = node.child_by_field_name("value") or node
        if value.type in {"identifier", "shorthand_property_identifier_pattern"}:
            name, alias = source.node_text(key), source.node_text(value)
            yield _Taken(name, whole(key), alias, value.start_byte)
