"""Settings: the command line before the environment before docgraph.yaml before the defaults."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge

from docgraph.model.errors import BadInput
from docgraph.model.validation import suggest
from docgraph.wiring.auth_settings import (
    NO_LOGIN_WRITTEN,
    AuthConfig,
    AuthSettings,
    ClaimNames,
    IssuerConfig,
    parse_auth,
)
from docgraph.wiring.embedder_settings import (
    CPU_ALONE,
    NO_EMBEDDER_WRITTEN,
    EmbedderConfig,
    ExecutionProvider,
    embedder_endpoint,
    execution_providers,
)
from docgraph.wiring.model_settings import (
    NOTHING_WRITTEN,
    STRICT,
    ChatConfig,
    ChatEndpoint,
    Endpoint,
    Label,
    ModelConfig,
    chat_endpoints,
    folder_of,
    parse_endpoint,
)
from docgraph.wiring.parsing import DEFAULT_PARSING, ParsingSettings
from docgraph.wiring.server_settings import (
    NOTHING_SERVED,
    RootSettings,
    ServeSettings,
    WatchSettings,
)
from docgraph.wiring.vector_cache import (
    DEFAULT_VECTOR_CACHE,
    NO_VECTOR_CACHE,
    VectorCacheSettings,
    vector_cache_settings,
)

DEFAULT_STORE = ".docgraph/docgraph.db"
DEFAULT_WAIT = 600.0
CONFIG = "docgraph.yaml"
IndexValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose. Without an embedder, the one that comes with docgraph is used.

    A store may be an address that holds a password: `redacted_store` prints it without.
    `shared_vectors` is a folder that the processes of a server keep vectors in; nobody writes it.
    `plugins` are distributions whose plug-ins may be loaded; None is every installed one.
    """

    store: str = field(default=DEFAULT_STORE, repr=False)
    embedder_folder: str | None = None
    embedder_endpoint: Endpoint | None = None
    execution_providers: tuple[ExecutionProvider, ...] = CPU_ALONE
    reranker_folder: str | None = None
    reranker_endpoint: Endpoint | None = None
    answer_endpoints: tuple[ChatEndpoint, ...] = ()
    wait: float = DEFAULT_WAIT
    index: str | None = None
    index_settings: Mapping[str, IndexValue] = field(default_factory=dict)
    hnsw: bool = False
    telemetry: bool = False
    login: AuthSettings = field(default_factory=AuthSettings)
    serve: ServeSettings = NOTHING_SERVED
    parsing: ParsingSettings = DEFAULT_PARSING
    vector_cache: VectorCacheSettings = NO_VECTOR_CACHE
    plugins: tuple[str, ...] | None = None
    config: str | None = None
    shared_vectors: str | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """docgraph.yaml as people write it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    store: str | None = None
    embedder: EmbedderConfig = NO_EMBEDDER_WRITTEN
    reranker: ModelConfig = NOTHING_WRITTEN
    answer: tuple[ChatConfig, ...] = ()
    wait: Annotated[float, Ge(0)] | None = None
    index: str | None = None
    index_settings: dict[str, IndexValue] = field(default_factory=dict)
    hnsw: bool | None = None
    telemetry: bool | None = None
    login: AuthConfig = NO_LOGIN_WRITTEN
    serve: ServeSettings = NOTHING_SERVED
    parsing: ParsingSettings = DEFAULT_PARSING
    vector_cache: VectorCacheSettings = DEFAULT_VECTOR_CACHE
    plugins: tuple[Label, ...] | None = None


_KEYS: dict[tuple[int | str, ...], tuple[str, ...]] = {
    (): tuple(key.name for key in fields(_Written)),
    ("embedder",): tuple(key.name for key in fields(EmbedderConfig)),
    ("reranker",): tuple(key.name for key in fields(ModelConfig)),
    ("answer",): tuple(key.name for key in fields(ChatConfig)),
    ("login",): tuple(key.name for key in fields(AuthConfig)),
    ("serve",): tuple(key.name for key in fields(ServeSettings)),
    ("parsing",): tuple(key.name for key in fields(ParsingSettings)),
    ("vector_cache",): tuple(key.name for key in fields(VectorCacheSettings)),
    ("serve", "roots", RootSettings.__name__): tuple(key.name for key in fields(RootSettings)),
    ("serve", "watch", WatchSettings.__name__): tuple(key.name for key in fields(WatchSettings)),
    ("login", "tokens"): tuple(key.name for key in fields(IssuerConfig)),
    ("login", "tokens", "claims"): tuple(key.name for key in fields(ClaimNames)),
}


def read_settings(
    environment: Mapping[str, str], folder: Path, store: str | None = None
) -> Settings:
    path = _config(environment, folder)
    written = _read(path) if path else _Written()
    return Settings(
        store=store or environment.get("DOCGRAPH_STORE") or written.store or DEFAULT_STORE,
        embedder_folder=folder_of("EMBEDDER", environment, written.embedder),
        embedder_endpoint=embedder_endpoint(environment, written.embedder, path),
        execution_providers=execution_providers(written.embedder, path),
        reranker_folder=folder_of("RERANKER", environment, written.reranker),
        reranker_endpoint=parse_endpoint("RERANKER", environment, written.reranker, path),
        answer_endpoints=chat_endpoints(environment, written.answer),
        wait=_wait(environment, written),
        index=environment.get("DOCGRAPH_INDEX") or written.index,
        index_settings=written.index_settings,
        hnsw=_switch("HNSW", environment, written.hnsw),
        telemetry=_switch("TELEMETRY", environment, written.telemetry),
        login=parse_auth(environment, written.login),
        serve=written.serve,
        parsing=written.parsing,
        vector_cache=vector_cache_settings(
            environment,
            written.vector_cache,
            enabled=_switch("VECTOR_CACHE", environment, written.vector_cache.enabled),
        ),
        plugins=written.plugins,
        config=str(path) if path else None,
    )


def for_server(settings: Settings) -> Settings:
    """A server loads the plug-ins that its settings name, and no others."""
    return replace(settings, plugins=settings.plugins or ())


def _config(environment: Mapping[str, str], folder: Path) -> Path | None:
    """A file that is named must be there; one that is only looked for may be missing."""
    named = environment.get("DOCGRAPH_CONFIG")
    path = folder / (named or CONFIG)
    if path.is_file():
        return path
    if named:
        raise BadInput(f"DOCGRAPH_CONFIG: there is no file {named}")
    return None


def _read(path: Path) -> _Written:
    import yaml
    from pydantic import TypeAdapter, ValidationError

    from docgraph.yaml_lines import BoundedLoader

    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=BoundedLoader)  # noqa: S506
        # Checked as JSON: strictly, a dataclass takes a mapping from JSON alone. What JSON does
        # not know, such as a date, becomes a list, which fits no setting.
        text = json.dumps({} if data is None else data, default=lambda _: [])
        return TypeAdapter(_Written).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}: {_wrong(first['loc'], first['msg'])}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BadInput(f"{path}:{line}: not YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        raise BadInput(f"{path}: not YAML: {error.reason}") from error
    except (OSError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from error


def _wrong(place: tuple[int | str, ...], message: str) -> str:
    name = ".".join(map(str, place)) or "the file"
    sections = tuple(part for part in place[:-1] if isinstance(part, str))
    known = _KEYS.get(sections, ()) if place else ()
    if known and isinstance(place[-1], str) and place[-1] not in known:
        return f"no setting is called {name!r}; {suggest(str(place[-1]), known)}"
    return f"{name}: {message}"


def _wait(environment: Mapping[str, str], written: _Written) -> float:
    given = environment.get("DOCGRAPH_WAIT")
    if not given:
        return DEFAULT_WAIT if written.wait is None else written.wait
    try:
        seconds = float(given)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise BadInput(f"DOCGRAPH_WAIT: {given!r} is not a number of seconds, 0 or more")
    return seconds


def _switch(name: str, environment: Mapping[str, str], written: bool | None) -> bool:
    given = environment.get(f"DOCGRAPH_{name}")
    if not given:
        return bool(written)
    if given not in ("on", "off"):
        raise BadInput(f"DOCGRAPH_{name}: {given!r} is neither on nor off")
    return given == "on"
