"""Settings: the command line before the environment before docgraph.yaml before the defaults."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, MinLen

from docgraph.model.egress import LOWEST, Ceiling
from docgraph.model.errors import BadInput
from docgraph.model.would_fit import would_fit

DEFAULT_STORE = ".docgraph/docgraph.db"
DEFAULT_WAIT = 600.0
CONFIG = "docgraph.yaml"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model server of the OpenAI dialect, and what may be sent there.

    Its key comes from the environment alone.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    ceiling: Ceiling = LOWEST


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may choose. Without an embedder, the one that comes with docgraph is used.

    A store may be an address that holds a password: `shown_store` tells how to print it.
    """

    store: str = field(default=DEFAULT_STORE, repr=False)
    embedder_folder: str | None = None
    embedder_endpoint: Endpoint | None = None
    reranker_folder: str | None = None
    reranker_endpoint: Endpoint | None = None
    wait: float = DEFAULT_WAIT
    hnsw: bool = False
    config: str | None = None


# pydantic reads this from the dataclass; a plain dict keeps its import out of every start.
_STRICT: dict[str, Any] = {"extra": "forbid", "strict": True, "allow_inf_nan": False}
_Label = Annotated[str, MinLen(1)]
_Level = Annotated[int, Ge(0)]


@dataclass(frozen=True, slots=True)
class _Model:
    """An embedder or a reranker."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    folder: str | None = None
    endpoint: str | None = None
    model: str | None = None
    labels: list[_Label] | None = None
    level: _Level | None = None


@dataclass(frozen=True, slots=True)
class _Written:
    """docgraph.yaml as people write it."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _STRICT
    store: str | None = None
    embedder: _Model = _Model()
    reranker: _Model = _Model()
    wait: Annotated[float, Ge(0)] | None = None
    hnsw: bool | None = None


_KEYS: dict[tuple[int | str, ...], tuple[str, ...]] = {
    (): tuple(key.name for key in fields(_Written)),
    ("embedder",): tuple(key.name for key in fields(_Model)),
    ("reranker",): tuple(key.name for key in fields(_Model)),
}


def read_settings(
    environment: Mapping[str, str], folder: Path, store: str | None = None
) -> Settings:
    path = _config(environment, folder)
    written = _read(path) if path else _Written()
    return Settings(
        store=store or environment.get("DOCGRAPH_STORE") or written.store or DEFAULT_STORE,
        embedder_folder=_folder("EMBEDDER", environment, written.embedder),
        embedder_endpoint=_endpoint("EMBEDDER", environment, written.embedder, path),
        reranker_folder=_folder("RERANKER", environment, written.reranker),
        reranker_endpoint=_endpoint("RERANKER", environment, written.reranker, path),
        wait=_wait(environment, written),
        hnsw=_hnsw(environment, written),
        config=str(path) if path else None,
    )


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

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
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
    known = _KEYS.get(place[:-1], ()) if place else ()
    if known and place[-1] not in known:
        return f"no setting is called {name!r}; {would_fit(str(place[-1]), known)}"
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


def _hnsw(environment: Mapping[str, str], written: _Written) -> bool:
    given = environment.get("DOCGRAPH_HNSW")
    if not given:
        return bool(written.hnsw)
    if given not in ("on", "off"):
        raise BadInput(f"DOCGRAPH_HNSW: {given!r} is neither on nor off")
    return given == "on"


def _folder(name: str, environment: Mapping[str, str], written: _Model) -> str | None:
    """The file's comes after an endpoint of the environment, which would else not be used."""
    given = environment.get(f"DOCGRAPH_{name}_FOLDER")
    if given or environment.get(f"DOCGRAPH_{name}_ENDPOINT"):
        return given or None
    return written.folder


def _endpoint(
    name: str, environment: Mapping[str, str], written: _Model, path: Path | None
) -> Endpoint | None:
    """The address is kept out of the error: people write passwords into addresses."""
    given = environment.get(f"DOCGRAPH_{name}_ENDPOINT")
    url = given or written.endpoint
    model = environment.get(f"DOCGRAPH_{name}_MODEL") or written.model
    ceiling = _ceiling(name, environment, written, url)
    if not url:
        return None
    if not model:
        key = name.lower()
        where = f"DOCGRAPH_{name}_ENDPOINT" if given else f"{path}: {key}.endpoint"
        raise BadInput(f"{where}: needs a model beside it: {key}.model or DOCGRAPH_{name}_MODEL")
    return Endpoint(url, model, environment.get(f"DOCGRAPH_{name}_KEY") or None, ceiling)


def _ceiling(
    name: str, environment: Mapping[str, str], written: _Model, url: str | None
) -> Ceiling:
    """What the file lets out, it lets out to the server that it names and to no other."""
    labels = _labels(f"DOCGRAPH_{name}_LABELS", environment)
    level = _level(f"DOCGRAPH_{name}_LEVEL", environment)
    meant = url == written.endpoint
    if labels is None:
        labels = frozenset(written.labels or ()) if meant else LOWEST.labels
    if level is None:
        level = (written.level or 0) if meant else LOWEST.level
    return Ceiling(labels, level)


def _labels(variable: str, environment: Mapping[str, str]) -> frozenset[str] | None:
    given = environment.get(variable)
    if not given:
        return None
    labels = frozenset(label.strip() for label in given.split(","))
    if "" in labels:
        raise BadInput(f"{variable}: {given!r} names an empty label; write labels as: one,two")
    return labels


def _level(variable: str, environment: Mapping[str, str]) -> int | None:
    given = environment.get(variable)
    if not given:
        return None
    try:
        level = int(given)
    except ValueError:
        level = -1
    if level < 0:
        raise BadInput(f"{variable}: {given!r} is not a whole number, 0 or more")
    return level
