"""Telling an operator's tracing what was done: names, ids, counts and digests, never text."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Protocol

Fact = str | int | float | bool | tuple[str, ...]
NO_CALLER: Mapping[str, str] = MappingProxyType({})


class Span(Protocol):
    @property
    def recording(self) -> bool:
        """Whether anybody will read it; facts that cost something are told only then."""
        ...

    def set(self, facts: Mapping[str, Fact]) -> None: ...


class Tracer(Protocol):
    def span(
        self, name: str, caller: Mapping[str, str] = NO_CALLER
    ) -> AbstractContextManager[Span]:
        """Covers what is done inside; `caller` are the headers of whoever asked for it.

        An error inside is told by the name of its kind: its words may hold text.
        """
        ...


class _Silent:
    recording = False

    def set(self, facts: Mapping[str, Fact]) -> None:
        """To nobody."""

    @contextmanager
    def span(self, name: str, caller: Mapping[str, str] = NO_CALLER) -> Iterator[Span]:  # noqa: ARG002
        yield self


NO_TRACER: Tracer = _Silent()
