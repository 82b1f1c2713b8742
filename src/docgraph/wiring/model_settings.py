"""Settings of model servers: address, model, key, and what may be sent there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge, MinLen

from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.errors import BadInput

_WITH_ENDPOINT = (
    "DOCGRAPH_ANSWER_MODEL",
    "DOCGRAPH_ANSWER_CONTEXT_WINDOW",
    "DOCGRAPH_ANSWER_TOKENIZER",
    "DOCGRAPH_ANSWER_LABELS",
    "DOCGRAPH_ANSWER_LEVEL",
)


DEFAULT_CONTEXT_WINDOW = 4096  # tokens; servers that cut a longer prompt in silence begin there
ENDPOINT = "endpoint"  # the provider of those who name none


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model server of the OpenAI dialect, or another provider's, and what may be sent there.

    Its key comes from the environment alone.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    clearance: Clearance = UNCLASSIFIED
    provider: str = ENDPOINT
    options: Mapping[str, Any] = field(default_factory=dict)
    # Of an embedder: None leaves the first to the server, and the others to its provider.
    dimensions: int | None = None
    concurrency: int | None = None
    requests_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """A model that answers, how many tokens it reads and writes in all, and its tokenizer's file.

    Without that file its tokens are estimated.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    clearance: Clearance = UNCLASSIFIED
    context_window: int = DEFAULT_CONTEXT_WINDOW
    tokenizer: str | None = None
    provider: str = ENDPOINT
    options: Mapping[str, Any] = field(default_factory=dict)


# pydantic reads this from the dataclass; a plain dict keeps its import out of every start.
STRICT: dict[str, Any] = {"extra": "forbid", "strict": True, "allow_inf_nan": False}
Label = Annotated[str, MinLen(1)]
Level = Annotated[int, Ge(0)]


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """An embedder or a reranker; `provider` names a plug-in's, and `options` are for it alone."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    folder: str | None = None
    endpoint: str | None = None
    model: str | None = None
    labels: list[Label] | None = None
    level: Level | None = None
    provider: Label | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


NOTHING_WRITTEN = ModelConfig()


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """A model that answers; `key` is the name of the variable that holds its key."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    endpoint: Label | None = None
    model: Label | None = None
    context_window: Annotated[int, Ge(1)] = DEFAULT_CONTEXT_WINDOW
    tokenizer: str | None = None
    key: str | None = None
    labels: list[Label] | None = None
    level: Level | None = None
    provider: Label | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def folder_of(name: str, environment: Mapping[str, str], written: ModelConfig) -> str | None:
    """The file's comes after an endpoint of the environment, which would else not be used."""
    given = environment.get(f"DOCGRAPH_{name}_FOLDER")
    if given or environment.get(f"DOCGRAPH_{name}_ENDPOINT"):
        return given or None
    return written.folder


def parse_endpoint(
    name: str, environment: Mapping[str, str], written: ModelConfig, path: Path | None
) -> Endpoint | None:
    """The address is kept out of the error: people write passwords into addresses."""
    given = environment.get(f"DOCGRAPH_{name}_ENDPOINT")
    url = given or written.endpoint
    model = environment.get(f"DOCGRAPH_{name}_MODEL") or written.model
    clearance = _clearance(name, environment, written, url)
    key = environment.get(f"DOCGRAPH_{name}_KEY") or None
    if written.provider and not given:
        if written.folder:
            raise BadInput(f"{path}: {name.lower()}: name a provider or a folder, not both")
        options = written.options
        return Endpoint(url or "", model or "", key, clearance, written.provider, options)
    if not url:
        return None
    if not model:
        part = name.lower()
        where = f"DOCGRAPH_{name}_ENDPOINT" if given else f"{path}: {part}.endpoint"
        raise BadInput(f"{where}: needs a model beside it: {part}.model or DOCGRAPH_{name}_MODEL")
    return Endpoint(url, model, key, clearance)


def _clearance(
    name: str, environment: Mapping[str, str], written: ModelConfig, url: str | None
) -> Clearance:
    """What the file lets out, it lets out to the server that it names and to no other."""
    labels = _labels(f"DOCGRAPH_{name}_LABELS", environment)
    level = _level(f"DOCGRAPH_{name}_LEVEL", environment)
    meant = url == written.endpoint
    if labels is None:
        labels = frozenset(written.labels or ()) if meant else UNCLASSIFIED.labels
    if level is None:
        level = (written.level or 0) if meant else UNCLASSIFIED.level
    return Clearance(labels, level)


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


def chat_endpoints(
    environment: Mapping[str, str], written: Sequence[ChatConfig]
) -> tuple[ChatEndpoint, ...]:
    """In the file's order; one that the environment names is the only one."""
    url = environment.get("DOCGRAPH_ANSWER_ENDPOINT")
    if not url:
        _need_endpoint(environment)
        _need_provider(written)
        return tuple(_written_chat(environment, one, len(written)) for one in written)
    same = next((one for one in written if one.endpoint == url), None)
    model = environment.get("DOCGRAPH_ANSWER_MODEL") or (same.model if same else None)
    if not model:
        raise BadInput("DOCGRAPH_ANSWER_ENDPOINT: needs a model beside it: DOCGRAPH_ANSWER_MODEL")
    known = ModelConfig(
        endpoint=url if same else None,
        labels=same.labels if same else None,
        level=same.level if same else None,
    )
    return (
        ChatEndpoint(
            url=url,
            model=model,
            key=environment.get("DOCGRAPH_ANSWER_KEY") or _key(environment, same),
            clearance=_clearance("ANSWER", environment, known, url),
            context_window=_context_window(environment)
            or (same.context_window if same else DEFAULT_CONTEXT_WINDOW),
            tokenizer=environment.get("DOCGRAPH_ANSWER_TOKENIZER")
            or (same.tokenizer if same else None),
        ),
    )


def _need_endpoint(environment: Mapping[str, str]) -> None:
    """Of several servers in a file, a variable does not say which it means."""
    for name in _WITH_ENDPOINT:
        if environment.get(name):
            raise BadInput(
                f"{name}: needs DOCGRAPH_ANSWER_ENDPOINT beside it; "
                "servers that docgraph.yaml lists are set there"
            )


def _need_provider(written: Sequence[ChatConfig]) -> None:
    for number, one in enumerate(written):
        if not one.provider and not (one.endpoint and one.model):
            missing = "model" if one.endpoint else "endpoint"
            raise BadInput(f"answer.{number}.{missing}: is missing, or a provider in its place")


def _key(environment: Mapping[str, str], one: ChatConfig | None) -> str | None:
    return (environment.get(one.key) or None) if one and one.key else None


def _written_chat(environment: Mapping[str, str], one: ChatConfig, many: int) -> ChatEndpoint:
    """A key that names no server is for the only one: it is not shown to several."""
    unnamed = environment.get("DOCGRAPH_ANSWER_KEY") if many == 1 and not one.key else None
    return ChatEndpoint(
        url=one.endpoint or "",
        model=one.model or "",
        key=_key(environment, one) or unnamed or None,
        clearance=Clearance(frozenset(one.labels or ()), one.level or 0),
        context_window=one.context_window,
        tokenizer=one.tokenizer,
        provider=one.provider or ENDPOINT,
        options=one.options,
    )


def _context_window(environment: Mapping[str, str]) -> int | None:
    given = environment.get("DOCGRAPH_ANSWER_CONTEXT_WINDOW")
    if not given:
        return None
    if not given.isdecimal() or int(given) < 1:
        raise BadInput(
            f"DOCGRAPH_ANSWER_CONTEXT_WINDOW: {given!r} is not a number of tokens, 1 or more"
        )
    return int(given)
