"""Metrics for Prometheus: how many, how long, how it ended. No ids, no tenants, no text."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

MEDIA_TYPE = CONTENT_TYPE_LATEST
METHODS = frozenset({"GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"})
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """Of one server, in a registry of its own."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        labels = ("method", "route")
        self._requests = Counter(
            "docgraph_http_requests",
            "Requests by how they ended.",
            (*labels, "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "docgraph_http_request_seconds",
            "How long they took.",
            labels,
            buckets=SECONDS,
            registry=registry,
        )
        self.in_flight = Gauge(
            "docgraph_http_in_flight", "Requests being served now.", registry=registry
        )
        self.held = Gauge(
            "docgraph_questions_held",
            "Questions that are worked on or wait for a worker.",
            registry=registry,
        )
        self._ingestions = Counter(
            "docgraph_ingestions", "Ingestions by how they ended.", ("outcome",), registry=registry
        )

    def served(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is the template of an address, so that no id becomes a label."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def ingested(self, outcome: str) -> None:
        self._ingestions.labels(outcome).inc()

    def written(self) -> bytes:
        return generate_latest(self._registry)
