"""Settings of the embedder: those of any model, and what an endpoint is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Interval, MinLen

from docgraph.model.errors import BadInput
from docgraph.model.question import MAX_DIMENSIONS
from docgraph.wiring.model_settings import ENDPOINT, Endpoint, ModelConfig, parse_endpoint

MAX_CONCURRENCY = 64
MAX_REQUESTS_PER_MINUTE = 1_000_000
SHIPPED = "granite"  # the provider of the bundled model
ExecutionProvider = Literal["coreml", "cpu", "cuda", "directml", "openvino"]
CPU_ALONE: tuple[ExecutionProvider, ...] = ("cpu",)


@dataclass(frozen=True, slots=True)
class EmbedderConfig(ModelConfig):
    """`dimensions` is how wide the vectors of an endpoint shall be, `concurrency` how many requests
    it gets at once. `execution_providers` are devices for a model of this process."""

    dimensions: Annotated[int, Interval(ge=1, le=MAX_DIMENSIONS)] | None = None
    concurrency: Annotated[int, Interval(ge=1, le=MAX_CONCURRENCY)] | None = None
    requests_per_minute: Annotated[int, Interval(ge=1, le=MAX_REQUESTS_PER_MINUTE)] | None = None
    execution_providers: Annotated[list[ExecutionProvider], MinLen(1)] | None = None


NO_EMBEDDER_WRITTEN = EmbedderConfig()


@dataclass(frozen=True, slots=True)
class _Option:
    """A field of `EmbedderConfig` and of `Endpoint` that is a number."""

    name: str
    variable: str
    most: int
    only_endpoints: str = "only an endpoint has this setting"

    @property
    def refusal(self) -> str:
        return f"{self.only_endpoints}; a plug-in's are among embedder.options"


_OPTIONS = (
    _Option(
        "dimensions",
        "DOCGRAPH_EMBEDDER_DIMENSIONS",
        MAX_DIMENSIONS,
        "only an endpoint is asked for dimensions",
    ),
    _Option("concurrency", "DOCGRAPH_EMBEDDER_CONCURRENCY", MAX_CONCURRENCY),
    _Option(
        "requests_per_minute", "DOCGRAPH_EMBEDDER_REQUESTS_PER_MINUTE", MAX_REQUESTS_PER_MINUTE
    ),
)


def embedder_endpoint(
    environment: Mapping[str, str], written: EmbedderConfig, path: Path | None
) -> Endpoint | None:
    """With the numbers for it. Those of the file are for the server of the file alone."""
    endpoint = parse_endpoint("EMBEDDER", environment, written, path)
    for option in _OPTIONS:
        endpoint = _with_option(option, endpoint, environment, written, path)
    return endpoint


def _with_option(
    option: _Option,
    endpoint: Endpoint | None,
    environment: Mapping[str, str],
    written: EmbedderConfig,
    path: Path | None,
) -> Endpoint | None:
    given = _number(option, environment)
    if given is not None:
        if endpoint is None or endpoint.provider != ENDPOINT:
            raise BadInput(f"{option.variable}: {option.refusal}")
        return _with_value(endpoint, option, given)
    value: int | None = getattr(written, option.name)
    if value is None:
        return endpoint
    if not written.endpoint or written.provider not in (None, ENDPOINT):
        raise BadInput(f"{path}: embedder.{option.name}: {option.refusal}")
    if endpoint is None or endpoint.url != written.endpoint:
        return endpoint
    return _with_value(endpoint, option, value)


def _with_value(endpoint: Endpoint, option: _Option, value: int) -> Endpoint:
    values: dict[str, Any] = {option.name: value}
    return replace(endpoint, **values)


def _number(option: _Option, environment: Mapping[str, str]) -> int | None:
    given = environment.get(option.variable)
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and 1 <= int(given) <= option.most):
        raise BadInput(f"{option.variable}: {given!r} is not a whole number, 1 to {option.most}")
    return int(given)


def execution_providers(
    written: EmbedderConfig, path: Path | None
) -> tuple[ExecutionProvider, ...]:
    """Each once, in their order."""
    elsewhere = written.endpoint or written.provider not in (None, SHIPPED)
    if written.execution_providers and elsewhere and not written.folder:
        raise BadInput(
            f"{path}: embedder.execution_providers: only the bundled model and one in a folder "
            "run on them"
        )
    return tuple(dict.fromkeys(written.execution_providers or CPU_ALONE))
