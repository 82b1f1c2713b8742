"""What a JavaScript file imports or requires, and what the imported names resolve to."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from docgraph.ingest.languages.bindings import (
    MAX_IMPORT_CHARACTERS,
    Chain,
    Imported,
    Targets,
)
from docgraph.ingest.languages.language import Imports, Parts, Span, span_of
from docgraph.ingest.languages.source import SourceCode
from docgraph.model.reference import ReferenceTarget

# In the order in which one of several files with the same stem is chosen.
_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
_OTHER_SUFFIXES = (".json", ".css", ".scss", ".less", ".svg", ".png", ".html", ".wasm", ".node")
_INDEX_RANK = 10
_DISTANCE_WEIGHT = 4
_UNLIKELY_RANK = 2  # of the less likely of two readings
_PACKAGES = "node_modules/"
_CLAUSES = frozenset({"import_clause", "import_require_clause", "export_clause"})
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


def make_title(source: SourceCode, parts: Parts) -> str:  # noqa: ARG001
    return _split_suffix(source.path)[0] or source.path


def file_keys(path: str) -> Iterator[tuple[str, int]]:
    """Keys with their ranks; an `index` has its folder's key too."""
    stem, rank = _split_suffix(path)
    yield f"js:{stem}", rank
    folder, _, name = stem.rpartition("/")
    if name == "index":
        yield f"js:{folder}", _INDEX_RANK + rank
    if _PACKAGES in path:
        package = stem.rpartition(_PACKAGES)[2]
        yield f"npm:{package}", rank
        if name == "index":
            yield f"npm:{package.removesuffix('/index')}", _INDEX_RANK + rank


def specifier_target(importer: str, specifier: str) -> ReferenceTarget | None:
    """None for a path outside the repository."""
    if specifier.startswith("/"):
        return None
    if not specifier.startswith("."):
        report_unresolved = specifier.partition("/")[0] not in _NODE and ":" not in specifier
        return ReferenceTarget(
            f"npm:{specifier}",
            distance_weight=_DISTANCE_WEIGHT,
            report_unresolved=report_unresolved,
        )
    path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
    if path.startswith(".."):
        return None
    if path.endswith(_OTHER_SUFFIXES):
        return ReferenceTarget(f"path:{path}", report_unresolved=False)
    return ReferenceTarget(f"js:{_split_suffix(path)[0] if path != '.' else ''}")


def _split_suffix(path: str) -> tuple[str, int]:
    """The longest suffix counts: `a.d.ts` is `a`."""
    for rank in range(len(_SUFFIXES) - 1, -1, -1):
        if path.endswith(_SUFFIXES[rank]):
            return path.removesuffix(_SUFFIXES[rank]), rank
    return path, len(_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Exported:
    """`import {name} from`, `const {name} = require`."""

    module: ReferenceTarget
    name: str

    def resolve(self, rest: Chain) -> Targets | None:
        return _drop_builtins(export_target(self.module, self.name, rest))

    resolve_member = resolve


@dataclass(frozen=True, slots=True)
class Namespace:
    """`import * as name from`."""

    module: ReferenceTarget

    def resolve(self, rest: Chain) -> Targets | None:
        return _drop_builtins(export_target(self.module, rest[0], rest[1:])) if rest else None

    resolve_member = resolve


@dataclass(frozen=True, slots=True)
class Default:
    """`import name from` and `const name = require`: the default, or else all exports."""

    module: ReferenceTarget
    named_first: bool = False

    def resolve(self, rest: Chain) -> Targets | None:
        default = export_target(self.module, "default", rest)
        if not rest:
            return _drop_builtins(default)
        named = export_target(self.module, rest[0], rest[1:])
        first, second = (named, default) if self.named_first else (default, named)
        return _drop_builtins(first, second._replace(rank=second.rank + _UNLIKELY_RANK))

    resolve_member = resolve


def _drop_builtins(*targets: ReferenceTarget) -> Targets:
    """Node's own modules have no node in the graph."""
    return tuple(target for target in targets if target.report_unresolved)


def export_target(module: ReferenceTarget, name: str, rest: Chain) -> ReferenceTarget:
    inner = f".{'.'.join(rest)}" if rest else ""
    return module._replace(key=f"{module.key}#{name}", inner=inner, strict=bool(rest))


@dataclass(frozen=True, slots=True)
class _ImportedBinding:
    """`name` of a module at a span, bound to `alias` if there is one; `*` is all of it."""

    name: str
    span: Span
    alias: str = ""
    position: int = 0
    named_first: bool = False

    def bind(self, module: ReferenceTarget) -> Imported:
        if self.name == "*":
            return Namespace(module)
        if self.name == "default":
            return Default(module, self.named_first)
        return Exported(module, self.name)


def read_imports(source: SourceCode) -> Imports:
    references: list[tuple[Span, str, Targets]] = []
    bindings: list[tuple[str, int, Imported]] = []
    for string, is_reference, names in (*_read_statements(source), *_read_requires(source)):
        span = (string.start_byte + 1, string.end_byte - 1)
        specifier = source.text_at(*span)
        module = specifier_target(source.path, specifier)
        if module is None or not specifier or len(specifier) > MAX_IMPORT_CHARACTERS:
            continue
        if is_reference:
            references.append((span, specifier, (module,)))
        for one in names:
            if module.report_unresolved and one.name not in {"*", "default"}:
                target = export_target(module, one.name, ())._replace(report_unresolved=False)
                references.append((one.span, f"{specifier}:{one.name}", (target,)))
            if one.alias:
                bindings.append((one.alias, one.position, one.bind(module)))
    return Imports(tuple(references), tuple(bindings))


def _read_statements(source: SourceCode) -> Iterator[tuple[Node, bool, list[_ImportedBinding]]]:
    for node in source.nodes("import"):
        clauses = [child for child in node.named_children if child.type in _CLAUSES]
        string = node.child_by_field_name("source")
        for clause in clauses if string is None else ():
            string = clause.child_by_field_name("source")
        if string is not None:
            yield string, True, [one for clause in clauses for one in _read_clause(source, clause)]


def _read_clause(source: SourceCode, clause: Node) -> Iterator[_ImportedBinding]:
    for node in clause.named_children:
        if node.type == "identifier":
            yield _bind_module(source, node, "default")
        elif node.type == "namespace_import":
            yield from (_bind_module(source, name, "*") for name in node.named_children[:1])
        elif node.type == "named_imports":
            yield from (_read_specifier(source, one) for one in _specifiers(node))
        elif node.type == "export_specifier":
            yield replace(_read_specifier(source, node), alias="")


def _specifiers(node: Node) -> Iterator[Node]:
    return (child for child in node.named_children if child.type == "import_specifier")


def _read_specifier(source: SourceCode, node: Node) -> _ImportedBinding:
    name = node.child_by_field_name("name") or node
    alias = node.child_by_field_name("alias") or name
    return _ImportedBinding(
        source.node_text(name), span_of(name), source.node_text(alias), alias.start_byte
    )


def _bind_module(source: SourceCode, node: Node, name: str) -> _ImportedBinding:
    return _ImportedBinding(name, span_of(node), source.node_text(node), node.start_byte)


def _read_requires(source: SourceCode) -> Iterator[tuple[Node, bool, list[_ImportedBinding]]]:
    for match in source.matches("require"):
        if source.node_text(match["require"][0]) in {"require", "import"}:
            yield match["module"][0], True, []
    for match in source.matches("required"):
        if source.node_text(match["by"][0]) == "require":
            target, member = match["required"][0], match.get("member")
            yield match["of"][0], False, list(_read_assignment(source, target, member))


def _read_assignment(
    source: SourceCode, target: Node, member: list[Node] | None
) -> Iterator[_ImportedBinding]:
    """`const a = require(…)`, `const a = require(…).b`, `const {a, b: c} = require(…)`."""
    if target.type == "identifier":
        alias, position = source.node_text(target), target.start_byte
        if member:
            yield _ImportedBinding(source.node_text(member[0]), span_of(member[0]), alias, position)
        else:
            yield _ImportedBinding("default", span_of(target), alias, position, named_first=True)
    for node in target.named_children:
        key = node.child_by_field_name("key") or node
        value = node.child_by_field_name("value") or node
        if value.type in {"identifier", "shorthand_property_identifier_pattern"}:
            name, alias = source.node_text(key), source.node_text(value)
            yield _ImportedBinding(name, span_of(key), alias, value.start_byte)
