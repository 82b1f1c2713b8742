"""A caller's trace goes on in ours, down to the stages, and no word of the question is in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.testclient import TestClient

from docgraph.adapters.opentelemetry import OpenTelemetryTracer
from docgraph.interfaces.http.server.app import make_app
from docgraph.interfaces.http.server.app_state import build_app_state
from docgraph.testing.small_store import HashedWords
from tests.support.http_app import HERE, ingest_notes, settings_of

TRACE = 0x0AF7651916CD43DD8448EB211C80319C
CALLER = {"traceparent": f"00-{TRACE:032x}-b7ad6b7169203331-01"}


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def client(
    tmp_path: Path, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    tracer = OpenTelemetryTracer(provider)
    monkeypatch.setattr("docgraph.wiring.build.open_tracer", lambda _: tracer)
    monkeypatch.setattr("docgraph.interfaces.http.server.app_state.open_tracer", lambda _: tracer)
    state = build_app_state(settings_of(tmp_path), HashedWords)
    ingest_notes(state)
    spans.clear()
    with TestClient(make_app(state), base_url=HERE) as client:
        yield client
    provider.shutdown()


def test_a_request_is_one_trace_with_its_caller(
    client: TestClient, spans: InMemorySpanExporter
) -> None:
    asked = {"question": "zebra in the queue"}
    answer = client.post("/v1/retrieve", json=asked, headers=CALLER)
    assert answer.status_code == 200
    data = spans.get_finished_spans()
    assert {"HTTP POST", "docgraph retrieve", "search_nodes"} <= {span.name for span in data}
    assert {span.context.trace_id for span in data if span.context} == {TRACE}
    outer = next(span for span in data if span.name == "HTTP POST")
    assert dict(outer.attributes or {}) == {
        "http.route": "/v1/retrieve",
        "http.response.status_code": 200,
    }
    assert "zebra" not in " ".join(span.to_json() for span in data)
