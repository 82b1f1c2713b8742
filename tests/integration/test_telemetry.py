"""Spans tell operators what was done, by ids, counts and digests; no word that anybody wrote."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from docgraph.adapters.opentelemetry import OpenTelemetryTracer
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.edge import Edge
from docgraph.model.errors import BadInput
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from tests.support.engines import make_engine
from tests.support.fakes import RecitingModel
from tests.support.small_world import IDENTITY, document, write

WRITTEN = "marmalade is made of bergamot"
ASKED = "whence does marmalade come?"
CALLER = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracer(spans: InMemorySpanExporter) -> Iterator[OpenTelemetryTracer]:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    yield OpenTelemetryTracer(provider)
    provider.shutdown()


@pytest.fixture
def engine(tmp_path: Path, tracer: OpenTelemetryTracer) -> Engine:
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        write(writes, [document("a.md", WRITTEN), document("b.md", "pears are green")])
        writes.publish()
    return make_engine(store, chat_models=lambda: (RecitingModel(),), tracer=tracer)


def named(spans: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in spans.get_finished_spans()}


def test_every_stage_has_a_span_below_the_question(
    engine: Engine, spans: InMemorySpanExporter
) -> None:
    found = engine.questions.ask(QuestionRequest(local(), load("documents"), ASKED))
    exported = named(spans)
    steps = [step.action.name for step in found.run.pipeline.steps]
    assert set(exported) == {"docgraph ask", "embed_question", *steps}
    root = exported["docgraph ask"]
    assert root.context is not None
    assert {
        span.parent and span.parent.span_id for span in exported.values() if span is not root
    } == {root.context.span_id}
    facts = dict(root.attributes or {})
    assert facts["docgraph.plan"] == found.plan.digest
    assert facts["docgraph.principal"] == "local"
    assert facts["docgraph.snapshots"] == ("r@main:1",)
    seeds = dict(exported["select_scope"].attributes or {})
    assert seeds["docgraph.seeds.ids"] == found.seeds.ids
    context = dict(exported["assemble_context"].attributes or {})
    assert context["docgraph.digest"] == found.context.digest
    assert context["docgraph.tokens"] == found.context.tokens
    assert (
        dict(exported["answer_question"].attributes or {})["docgraph.digest"] == found.answer.digest
    )


def test_no_span_holds_a_word_that_was_written_or_asked(
    engine: Engine, spans: InMemorySpanExporter
) -> None:
    engine.questions.ask(QuestionRequest(local(), load("documents"), ASKED))
    engine.questions.why(QuestionRequest(local(), load("documents"), ASKED), "r:b.md")
    engine.questions.nodes(local(), ("r:a.md",))
    with pytest.raises(BadInput, match="marmalade"):
        engine.content.add_relation(local(), Edge("r:a.md", "marmalade", "r:b.md"))
    all_exported = " ".join(span.to_json() for span in spans.get_finished_spans())
    for word in (*WRITTEN.split(), "whence", "come"):
        assert f" {word}" not in all_exported
        assert f'"{word}' not in all_exported
    refused = named(spans)["docgraph relations add"]
    assert dict(refused.attributes or {})["error.type"] == "BadInput"
    assert not refused.events
    assert refused.status.description is None


def test_a_callers_trace_goes_on(
    tracer: OpenTelemetryTracer, engine: Engine, spans: InMemorySpanExporter
) -> None:
    with tracer.span("POST /v1/retrieve", CALLER):
        engine.questions.retrieve(QuestionRequest(local(), load("documents"), ASKED))
    traces = {span.context.trace_id for span in spans.get_finished_spans() if span.context}
    assert traces == {0x0AF7651916CD43DD8448EB211C80319C}


def test_tracing_changes_no_byte(engine: Engine, tmp_path: Path) -> None:
    quiet = make_engine(engine.content.store)
    one, other = (
        e.questions.retrieve(QuestionRequest(local(), load("documents"), ASKED))
        for e in (engine, quiet)
    )
    assert (one.plan, one.context) == (other.plan, other.context)


class Collector(ThreadingHTTPServer):
    """An OTLP receiver on loopback; keeps what it is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receives)
        self.received: list[tuple[str, bytes]] = []


class Receives(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """To nobody."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_command_line_sends_spans_where_otel_variables_say(
    tmp_path: Path, collector: Collector
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(f"# Jam\n\n{WRITTEN}\n")
    exported = {
        **os.environ,
        "DOCGRAPH_TELEMETRY": "on",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        "NO_PROXY": "127.0.0.1",
    }
    for line in (["ingest", "docs"], ["context", ASKED]):
        command = [sys.executable, "-m", "docgraph.interfaces.cli.main", *line]
        subprocess.run(command, cwd=tmp_path, env=exported, check=True, capture_output=True)
    assert {path for path, _ in collector.received} == {"/v1/traces"}
    names = set()
    for _, body in collector.received:
        assert b"bergamot" not in body
        assert b"whence" not in body
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            names |= {span.name for scope in group.scope_spans for span in scope.spans}
    assert {"docgraph ingest", "docgraph retrieve", "search_nodes", "assemble_context"} <= names


def test_nothing_is_reported_unless_settings_say_so(tmp_path: Path, collector: Collector) -> None:
    (tmp_path / "a.md").write_text(WRITTEN)
    address = f"http://127.0.0.1:{collector.server_port}"
    exported = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": address}
    command = [sys.executable, "-m", "docgraph.interfaces.cli.main", "ingest", "a.md", "--quiet"]
    subprocess.run(command, cwd=tmp_path, env=exported, check=True, capture_output=True)
    assert collector.received == []
