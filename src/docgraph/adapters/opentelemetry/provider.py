"""Where spans go: to the program's own provider, else by OTLP as the OTEL_ variables say."""

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    ProxyTracerProvider,
    get_tracer_provider,
    set_tracer_provider,
)
from opentelemetry.trace import (
    TracerProvider as AnyProvider,
)


def the_provider() -> AnyProvider:
    """The program's own where it has one: docgraph may be a guest in it."""
    found = get_tracer_provider()
    if not isinstance(found, ProxyTracerProvider):
        return found
    made = TracerProvider(resource=Resource.create({"service.name": "docgraph"}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(made)
    return made
