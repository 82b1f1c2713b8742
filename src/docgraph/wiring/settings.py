"""Settings: the command line before the environment before docgraph.yaml before the defaults."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from docgraph.model.errors import BadInput

DEFAULT_STORE = ".docgraph/docgraph.db"
CONFIG = "docgraph.yaml"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model server of the OpenAI dialect. Its key comes from the environment alone."""

    url: str
    model: str
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose. Without an embedder, the one that comes with docgraph is used."""

    store: str = DEFAULT_STORE
    embedder_folder: str | None = None
    embedder_endpoint: Endpoint | None = None
    reranker_endpoint: Endpoint | None = None
    wait: float = 600.0
    config: str | None = None


# pydantic reads this from the dataclass; a plain dict keeps its import out of every start.
_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class _Embedder:
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    folder: str | None = None
    endpoint: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class _Reranker:
    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    endpoint: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """docgraph.yaml as people write it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    store: str | None = None
    embedder: _Embedder = _Embedder()
    reranker: _Reranker = _Reranker()
    wait: float | None = None


def read_settings(
    environment: Mapping[str, str], folder: Path, store: str | None = None
) -> Settings:
    path = _config(environment, folder)
    written = _read(path) if path else _Written()
    wait = environment.get("DOCGRAPH_WAIT")
    try:
        seconds = float(wait) if wait else 600.0 if written.wait is None else written.wait
    except ValueError as error:
        raise BadInput(f"DOCGRAPH_WAIT: {wait!r} is not a number of seconds") from error
    embedder_folder = environment.get("DOCGRAPH_EMBEDDER_FOLDER")
    if not embedder_folder and not environment.get("DOCGRAPH_EMBEDDER_ENDPOINT"):
        embedder_folder = written.embedder.folder
    return Settings(
        store=store or environment.get("DOCGRAPH_STORE") or written.store or DEFAULT_STORE,
        embedder_folder=embedder_folder,
        embedder_endpoint=_endpoint("EMBEDDER", environment, written.embedder),
        reranker_endpoint=_endpoint("RERANKER", environment, written.reranker),
        wait=seconds,
        config=str(path) if path else None,
    )


def _config(environment: Mapping[str, str], folder: Path) -> Path | None:
    """A file that is named must be there; one that is only looked for may be missing."""
    named = environment.get("DOCGRAPH_CONFIG")
    if named and not Path(named).is_file():
        raise BadInput(f"DOCGRAPH_CONFIG: there is no file {named}")
    path = Path(named) if named else folder / CONFIG
    return path if path.is_file() else None


def _read(path: Path) -> _Written:
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        # Checked as JSON: strictly, a dataclass takes a mapping from JSON alone.
        return TypeAdapter(_Written).validate_json(json.dumps({} if data is None else data))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInput(f"{path}: {where}: {first['msg']}") from error
    except (yaml.YAMLError, UnicodeDecodeError, OSError, TypeError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from error


def _endpoint(
    name: str, environment: Mapping[str, str], written: _Embedder | _Reranker
) -> Endpoint | None:
    url = environment.get(f"DOCGRAPH_{name}_ENDPOINT") or written.endpoint
    model = environment.get(f"DOCGRAPH_{name}_MODEL") or written.model
    if url is None:
        return None
    if model is None:
        raise BadInput(f"the {name.lower()} endpoint {url} needs a model name beside it")
    return Endpoint(url, model, environment.get(f"DOCGRAPH_{name}_KEY"))
