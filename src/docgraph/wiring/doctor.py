"""Diagnosing an installation: each part that a question needs, tried for real."""

import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version

from docgraph.ingest.formats.registry import FORMATS, missing_extras
from docgraph.model.access import LOCAL, Principal
from docgraph.model.errors import BadInput, DocgraphError
from docgraph.ports.models import Embedder
from docgraph.ports.store import Finding, ReaderSession
from docgraph.wiring.backends import backend_for, index_name, open_stores, redacted_store
from docgraph.wiring.models import (
    embedder_clearance,
    open_embedder,
    open_reranker,
    open_tokens,
)
from docgraph.wiring.parsing import describe_parsing
from docgraph.wiring.plugins import SHIPPED, Plugin, list_plugins
from docgraph.wiring.settings import Settings
from docgraph.wiring.vector_cache import describe_vector_cache


def diagnose(settings: Settings, principal: Principal) -> tuple[Finding, ...]:
    return tuple(_findings(settings, principal))


def _findings(settings: Settings, principal: Principal) -> Iterator[Finding]:
    python = platform.python_version()
    yield Finding("python", sys.version_info >= (3, 11), f"{python}, 3.11 or newer needed")
    good = sqlite3.sqlite_version_info >= (3, 37, 0)
    yield Finding("sqlite", good, f"{sqlite3.sqlite_version}, 3.37 or newer needed")
    yield Finding("settings", True, settings.config or "defaults and environment; no docgraph.yaml")
    yield _tried("tokenizer", lambda: f"{open_tokens().count('one two three')} tokens in 3 words")
    yield _tried("embedder", lambda: _embedder(settings))
    if settings.reranker_folder or settings.reranker_endpoint:
        yield _tried("reranker", lambda: _reranker(settings))
    yield Finding("readers", True, _readers())
    yield _tried("parsing", lambda: describe_parsing(settings))
    yield _tried("vectors", lambda: describe_vector_cache(settings.vector_cache))
    needs = tuple(backend_for(settings.store, settings.plugins).check(settings.store))
    yield from needs
    can_open = all(finding.good for finding in needs)
    if can_open:
        yield _tried("store", lambda: _store(settings, principal))
    yield _tried("callers", lambda: _callers(settings, can_open))
    yield from _plugins(settings.plugins)


def _plugins(allowed: Sequence[str] | None) -> Iterator[Finding]:
    """What came from where: each group's shipped names, then every installed plug-in."""
    own = f"docgraph {version('docgraph')}"
    for group, names in SHIPPED.items():
        if names:
            yield Finding("plugins", True, f"{group} {', '.join(names)}: {own}")
    try:
        named = {(one.group, one.name, one.distribution) for one in list_plugins(allowed)}
    except BadInput as error:
        yield Finding("plugins", False, str(error))
        named = set()
    for plugin in list_plugins(None):
        if (plugin.group, plugin.name, plugin.distribution) in named:
            yield _tried("plugins", partial(_loaded, plugin))
        else:
            yield Finding(
                "plugins", True, f"{_origin(plugin)}, not loaded: settings do not name it"
            )


def _loaded(plugin: Plugin) -> str:
    plugin.load()
    return _origin(plugin)


def _origin(plugin: Plugin) -> str:
    return f"{plugin.group} {plugin.name}: {plugin.distribution} {plugin.version}"


def _tried(part: str, attempt: Callable[[], str]) -> Finding:
    try:
        return Finding(part, True, attempt())
    except (DocgraphError, OSError, ImportError) as error:
        return Finding(part, False, str(error))


def _readers() -> str:
    """Extras are nobody's fault: what they are for is said when such a file comes in."""
    missing = ", ".join(f"docgraph[{extra}]" for extra in missing_extras())
    return f"not installed: {missing}" if missing else f"all {len(FORMATS)} formats"


def _embedder(settings: Settings) -> str:
    embedder = open_embedder(settings)
    (vector,) = embedder.embed(["does it work?"])
    name = embedder.identity
    runs_here = embedder_clearance(settings) is None
    device = f", on {', '.join(settings.execution_providers)}" if runs_here else ""
    numbers = f"{len(vector)} dimensions{device}{_limits(embedder)}"
    return f"{name.name} ({name.digest[:12]}), {numbers}"


def _limits(embedder: Embedder) -> str:
    """How many requests a server gets."""
    from docgraph.adapters.endpoint.embedder import EndpointEmbedder

    if not isinstance(embedder, EndpointEmbedder):
        return ""
    per_minute = embedder.requests_per_minute
    rate = f", {per_minute} a minute" if per_minute else ""
    return f"; up to {embedder.concurrency} requests at once{rate}"


def _reranker(settings: Settings) -> str:
    model = open_reranker(settings)
    if model is None:
        return "none"
    (score,) = model.relevance("does it work?", ["It works."])
    return f"{model.name}, gives a text {score:g}"


def _store(settings: Settings, principal: Principal) -> str:
    address = redacted_store(settings.store)
    if not backend_for(settings.store, settings.plugins).exists(settings.store):
        return f"none at {address} yet; `docgraph ingest` makes it"
    with open_stores(settings).store.open_session(principal) as reads:
        seen = len(reads.scope.snapshots)
        index = _index(settings, reads)
        return f"{address} opens; {seen} repositories visible to {principal.id}{index}"


def _index(settings: Settings, reads: ReaderSession) -> str:
    """Where vectors are not searched as the settings ask for."""
    if index_name(settings) != "pgvector-hnsw" or not reads.search.exact or not reads.embedder:
        return ""
    return f"; {reads.embedder.dimensions} dimensions are too many for HNSW: exact scan"


def _callers(settings: Settings, can_count: bool) -> str:
    """Who can come in where a server is started with these settings."""
    ways = [f"tokens of {one.issuer}" for one in settings.login.tokens]
    if settings.login.keys:
        number = f" ({len(open_stores(settings).api_keys.list_keys(LOCAL))})" if can_count else ""
        ways.insert(0, f"API keys{number}")
    return ", ".join(ways) or "no login: a server answers this machine alone"
