"""Diagnosing an installation: each part that a question needs, tried for real."""

import platform
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from docgraph.ingest.formats.registry import FORMATS, missing_extras
from docgraph.model.access import LOCAL, Principal
from docgraph.model.errors import DocgraphError
from docgraph.wiring.backends import is_postgres, need_psycopg, shown_store
from docgraph.wiring.build import open_keys, open_store
from docgraph.wiring.models import open_embedder, open_reranker, open_tokens
from docgraph.wiring.settings import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    good: bool
    detail: str


def diagnose(settings: Settings, principal: Principal) -> tuple[Finding, ...]:
    return tuple(_findings(settings, principal))


def _findings(settings: Settings, principal: Principal) -> Iterator[Finding]:
    version = platform.python_version()
    yield Finding("python", sys.version_info >= (3, 11), f"{version}, 3.11 or newer needed")
    good = sqlite3.sqlite_version_info >= (3, 37, 0)
    yield Finding("sqlite", good, f"{sqlite3.sqlite_version}, 3.37 or newer needed")
    yield Finding("settings", True, settings.config or "defaults and environment; no docgraph.yaml")
    yield _tried("tokenizer", lambda: f"{open_tokens().count('one two three')} tokens in 3 words")
    yield _tried("embedder", lambda: _embedder(settings))
    if settings.reranker_folder or settings.reranker_endpoint:
        yield _tried("reranker", lambda: _reranker(settings))
    yield Finding("readers", True, _readers())
    if is_postgres(settings.store):
        server = tuple(_server(settings))
        yield from server
        there = all(finding.good for finding in server)
    else:
        there = Path(settings.store).is_file()
        if not there:
            place = shown_store(settings.store)
            yield Finding("store", True, f"none at {place} yet; `docgraph ingest` makes it")
    if there:
        yield _tried("store", lambda: _store(settings, principal))
    can_count = there or not is_postgres(settings.store)
    yield _tried("callers", lambda: _callers(settings, can_count))


def _server(settings: Settings) -> Iterator[Finding]:
    """What a Postgres store needs of its server; only then it is worth trying to open it."""
    try:
        need_psycopg()
    except DocgraphError as error:
        yield Finding("psycopg", False, str(error))
        return
    from docgraph.adapters.postgres.doctor import check_server

    for checked in check_server(settings.store):
        yield Finding(*checked)


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
    return f"{name.name} ({name.digest[:12]}), {len(vector)} dimensions"


def _reranker(settings: Settings) -> str:
    model = open_reranker(settings)
    if model is None:
        return "none"
    (score,) = model.relevance("does it work?", ["It works."])
    return f"{model.name}, gives a text {score:g}"


def _store(settings: Settings, principal: Principal) -> str:
    with open_store(settings).open_session(principal) as reads:
        seen = len(reads.scope.snapshots)
        return f"{shown_store(settings.store)} opens; {seen} repositories visible to {principal.id}"


def _callers(settings: Settings, can_count: bool) -> str:
    """Who can come in where a server is started with these settings."""
    ways = [f"tokens of {one.issuer}" for one in settings.login.tokens]
    if settings.login.keys:
        number = f" ({len(open_keys(settings).list_keys(LOCAL))})" if can_count else ""
        ways.insert(0, f"API keys{number}")
    return ", ".join(ways) or "no login: a server answers this machine alone"
