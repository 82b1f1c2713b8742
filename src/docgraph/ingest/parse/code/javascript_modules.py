"""By which keys a file of JavaScript goes, and which keys a specifier may mean."""

import posixpath
from collections.abc import Iterator

from docgraph.ingest.parse.code.language import Parts
from docgraph.ingest.parse.code.meaning import Aim
from docgraph.ingest.parse.code.source import Source

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
