"""Tracing of operations: spans with names, ids, counts and digests, never text."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Protocol

Fact = str | int | float | bool | tuple[str, ...]
NO_CALLER: Mapping[str, str] = MappingProxyType({})


class Span(Protocol):
    @property
    def recording(self) -> bool:
        """Whether the span is recorded; expensive attributes are computed only then."""
        ...

    def set(self, facts: Mapping[str, Fact]) -> None: ...


class Tracer(Protocol):
    def span(
        self, name: str, caller: Mapping[str, str] = NO_CALLER
    ) -> AbstractContextManager[Span]:
        """A span around the block; `caller` are the trace headers of the request.

        An error inside is recorded by the name of its class only: its message may hold text.
        """
        ...


class _NoTracer:
    """Records nothing."""

    recording = False

    def set(self, facts: Mapping[str, Fact]) -> None:
        """Discards them."""

    @contextmanager
    def span(self, name: str, caller: Mapping[str, str] = NO_CALLER) -> Iterator[Span]:  # noqa: ARG002
        yield self


NO_TRACER: Tracer = _NoTracer()
