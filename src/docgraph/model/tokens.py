"""Counting tokens: a pure function of a text, named so that a receipt can name it."""

from typing import Protocol


class TokenCounter(Protocol):
    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...
