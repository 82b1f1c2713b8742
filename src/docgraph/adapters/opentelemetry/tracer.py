"""Spans for OpenTelemetry, by whichever provider the process has."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.trace import Span, Status, StatusCode, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from docgraph.ports.tracer import NO_CALLER, Fact

_CALLER = TraceContextTextMapPropagator()


class OpenSpan:
    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def listens(self) -> bool:
        return self._span.is_recording()

    def tell(self, facts: Mapping[str, Fact]) -> None:
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
