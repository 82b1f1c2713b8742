"""A server's refusal, in words: what it says of itself, short, and out of its JSON."""

import json
from collections.abc import Callable

from docgraph.model.errors import ModelError

LONGEST_WORDS = 300


class Refused(ModelError):
    """`said` is the whole of what the server says, without the key."""

    def __init__(self, message: str, status: int, said: str) -> None:
        super().__init__(message)
        self.status = status
        self.said = said


def words_of(said: str, hidden: Callable[[str], str]) -> str:
    """The message inside, where there is one; else everything, in one line.

    What must not show is `hidden` once it is decoded: JSON has many spellings of one word.
    """
    try:
        found = message_in(json.loads(said))
    except (ValueError, RecursionError):
        found = None
    return " ".join(hidden(found or said).split())[:LONGEST_WORDS]


def message_in(answer: object) -> str | None:
    """{"error": {"message": …}}, {"error": …}, {"message": …} or {"detail": …}."""
    if isinstance(answer, str):
        return answer or None
    if not isinstance(answer, dict):
        return None
    inner = (message_in(answer.get(name)) for name in ("error", "message", "detail"))
    return next((found for found in inner if found), None)
