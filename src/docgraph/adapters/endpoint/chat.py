"""Asks a chat model behind any OpenAI-compatible server: Ollama, llama.cpp, vLLM, a hosted one."""

import math
import re
import time
from collections.abc import Callable, Iterator

from docgraph.adapters.endpoint.chat_stream import ChatAnswer
from docgraph.adapters.endpoint.http_client import (
    LONGEST_ANSWER,
    Connection,
    Dropped,
    Garbled,
    Interrupted,
    Refused,
)
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.context import TokenCounter
from docgraph.model.errors import ModelError
from docgraph.ports.models import ChatReply, Message, Sampling

# What a server did not take, asked once more in another way.


NOT_UNDERSTOOD = (400, 422)
REFUSABLE = ("temperature", "seed", "max_tokens")

Body = dict[str, object]


class Unheard(ModelError):
    """The server closed the connection before the first piece."""


def asked_otherwise(body: Body, error: Refused | Unheard) -> Body:
    """Without what a refusal names, each once; the limit stays, under its other name.

    A server that closes a stream without a word may have one for who wants no stream.
    """
    if isinstance(error, Unheard):
        return {**body, "stream": False}
    if error.status not in NOT_UNDERSTOOD:
        return body
    named = {name for name in REFUSABLE if re.search(rf"\b{name}\b", error.said)}
    kept = {name: value for name, value in body.items() if name not in named}
    if "max_tokens" in named and "max_tokens" in body:
        kept["max_completion_tokens"] = body["max_tokens"]
    return kept


PATH = "/chat/completions"
ACCEPT = "text/event-stream, application/json"
# Of 6,357 times that 13 models' tokenizers read 12,000 characters of prose or code, none took more.
MARGIN = 1.25
DIGIT = re.compile(r"\d")
FRAME = 24  # headers and ends of roles; two messages to Llama 3.1, with its dates, take 35


class EndpointChat:
    """`counter` counts the model's tokens if it is `exact`, else another model's, for an estimate.

    `timeout` is the longest silence: a small machine needs minutes for a long prompt.
    """

    def __init__(
        self,
        base: str,
        model: str,
        *,
        window: int,
        counter: TokenCounter,
        exact: bool = False,
        api_key: str | None = None,
        ceiling: Clearance = UNCLASSIFIED,
        timeout: float = 300.0,
        patience: float = LONGEST_ANSWER,
        retries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connection = Connection(
            base, key=api_key, timeout=timeout, patience=patience, retries=retries, sleep=sleep
        )
        self._model = model
        self._window = window
        self._counter = counter
        self._exact = exact
        self._ceiling = ceiling

    @property
    def name(self) -> str:
        return self._model

    @property
    def ceiling(self) -> Clearance:
        return self._ceiling

    @property
    def context_window(self) -> int:
        return self._window

    @property
    def exact_count(self) -> bool:
        return self._exact

    def count(self, text: str) -> int:
        if self._exact:
            return FRAME + self._counter.count(text)
        words, digits = DIGIT.subn("", text)  # many models read a number digit by digit
        return FRAME + math.ceil(MARGIN * (self._counter.count(words) + digits))

    def complete(
        self,
        messages: tuple[Message, ...],
        *,
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> ChatReply:
        """What the server does not understand, it is asked once more without."""
        body: Body = {
            "model": self._model,
            "messages": [{"role": m.role, "content": _readable(m.content)} for m in messages],
            "stream": True,
            "temperature": 0,
            "seed": seed,
            "max_tokens": max_tokens,
        }
        while True:
            try:
                text, finish = self._asked(body, on_text)
            except (Refused, Unheard) as error:
                other = asked_otherwise(body, error)
                if other == body:
                    raise
                body = other
            else:
                temperature = 0.0 if "temperature" in body else None
                return ChatReply(
                    text, finish, Sampling(temperature, seed if "seed" in body else None)
                )

    def _asked(self, body: Body, heard: Callable[[str], None]) -> tuple[str, str]:
        with self._connection.answer(PATH, body, ACCEPT) as reply:
            answer = ChatAnswer(reply.blocks(), self._connection.in_words)
            for piece in self._pieces(answer):
                heard(piece)
        return answer.text, self._connection.hidden(answer.finish)

    def _pieces(self, answer: ChatAnswer) -> Iterator[str]:
        nothing = True
        try:
            for piece in answer.pieces():
                nothing = False
                yield piece
        except Interrupted as error:
            unheard = nothing and isinstance(error, Dropped)
            raise self._error(
                f"half an answer: {error}", Unheard if unheard else ModelError
            ) from error
        except Garbled as error:
            raise self._error(str(error)) from error

    def _error(self, message: str, kind: type[ModelError] = ModelError) -> ModelError:
        return kind(f"{self._connection.base}{PATH}: {self._model}: {message}")


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
