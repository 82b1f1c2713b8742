"""Spans for whoever watches over many requests."""

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

# Where spans go: to the program's own provider, else by OTLP as the OTEL_ variables say.


def the_provider() -> TracerProvider:
    """The program's own where it has one: docgraph may be a guest in it."""
    found = get_tracer_provider()
    if not isinstance(found, ProxyTracerProvider):
        return found
    made = SdkTracerProvider(resource=Resource.create({"service.name": "docgraph"}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(made)
    return made


# Spans for OpenTelemetry, by whichever provider the process has.


_CALLER = TraceContextTextMapPropagator()


class OpenSpan:
    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def recording(self) -> bool:
        return self._span.is_recording()

    def set(self, facts: Mapping[str, Fact]) -> None:
        self._span.set_attributes(facts)


class OpenTelemetryTracer:
    """Of an error its kind is told and no word: messages and traces hold what people wrote."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("docgraph")

    @contextmanager
    def span(self, name: str, caller: Mapping[str, str] = NO_CALLER) -> Iterator[OpenSpan]:
        context = _CALLER.extract(caller) if caller else None
        with self._tracer.start_as_current_span(
            name, context=context, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield OpenSpan(span)
            except BaseException as error:
                span.set_status(Status(StatusCode.ERROR))
                span.set_attribute("error.type", type(error).__name__)
                raise
