"""The tracer for OpenTelemetry."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    ProxyTracerProvider,
    Span,
    Status,
    StatusCode,
    TracerProvider,
    get_tracer_provider,
    set_tracer_provider,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from docgraph.ports.tracer import NO_CALLER, Fact


def find_provider() -> TracerProvider:
    """The application's own where it has one; else OTLP, as the OTEL_ variables say."""
    current = get_tracer_provider()
    if not isinstance(current, ProxyTracerProvider):
        return current
    provider = SdkTracerProvider(resource=Resource.create({"service.name": "docgraph"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(provider)
    return provider


_PROPAGATOR = TraceContextTextMapPropagator()


class OpenSpan:
    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def recording(self) -> bool:
        return self._span.is_recording()

    def set(self, facts: Mapping[str, Fact]) -> None:
        self._span.set_attributes(facts)


class OpenTelemetryTracer:
    """Records the class of an error and not its message, which may hold text of documents."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("docgraph")

    @contextmanager
    def span(self, name: str, caller: Mapping[str, str] = NO_CALLER) -> Iterator[OpenSpan]:
        context = _PROPAGATOR.extract(caller) if caller else None
        with self._tracer.start_as_current_span(
            name, context=context, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield OpenSpan(span)
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR))
                span.set_attribute("error.type", type(error).__name__)
                raise
