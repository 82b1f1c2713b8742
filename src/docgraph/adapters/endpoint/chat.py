"""A chat model behind any OpenAI-compatible server: Ollama, llama.cpp, vLLM, a hosted one."""

import math
import re
from collections.abc import Callable, Iterator

from docgraph.adapters.endpoint.chat_stream import ChatAnswer, MalformedEvent
from docgraph.adapters.endpoint.http_client import (
    MAX_RESPONSE_SECONDS,
    ConnectionDropped,
    EndpointClient,
    ErrorResponse,
    StreamInterrupted,
)
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.context import TokenCounter
from docgraph.model.errors import ModelError
from docgraph.ports.cancellation import cancellable_sleep
from docgraph.ports.models import ChatReply, Message, Sampling

# A second request leaves out what a server does not support.


INVALID_REQUEST = (400, 422)
OPTIONAL_PARAMETERS = ("temperature", "seed", "max_tokens")

Body = dict[str, object]


class UnsupportedParameter(ModelError):
    """The server closed the connection before the first piece: it may not support a stream."""


def retry_without(body: Body, error: ErrorResponse | UnsupportedParameter) -> Body:
    """Without the parameters that the error names; the limit stays, under its other name.

    A server that closes a stream without a message may give one in a response without stream.
    """
    if isinstance(error, UnsupportedParameter):
        return {**body, "stream": False}
    if error.status not in INVALID_REQUEST:
        return body
    named = {name for name in OPTIONAL_PARAMETERS if re.search(rf"\b{name}\b", error.text)}
    rest = {name: value for name, value in body.items() if name not in named}
    if "max_tokens" in named and "max_tokens" in body:
        rest["max_completion_tokens"] = body["max_tokens"]
    return rest


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
        context_window: int,
        counter: TokenCounter,
        exact: bool = False,
        api_key: str | None = None,
        clearance: Clearance = UNCLASSIFIED,
        timeout: float = 300.0,
        max_seconds: float = MAX_RESPONSE_SECONDS,
        retries: int = 4,
        sleep: Callable[[float], None] = cancellable_sleep,
    ) -> None:
        self._client = EndpointClient(
            base,
            api_key=api_key,
            timeout=timeout,
            max_seconds=max_seconds,
            retries=retries,
            sleep=sleep,
        )
        self._model = model
        self._context_window = context_window
        self._counter = counter
        self._exact = exact
        self._clearance = clearance

    @property
    def name(self) -> str:
        return self._model

    @property
    def clearance(self) -> Clearance:
        return self._clearance

    @property
    def context_window(self) -> int:
        return self._context_window

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
        """A parameter that the server refuses is left out of the next request."""
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
                text, finish = self._request(body, on_text)
            except (ErrorResponse, UnsupportedParameter) as error:
                reduced = retry_without(body, error)
                if reduced == body:
                    raise
                body = reduced
            else:
                temperature = 0.0 if "temperature" in body else None
                return ChatReply(
                    text, finish, Sampling(temperature, seed if "seed" in body else None)
                )

    def _request(self, body: Body, on_text: Callable[[str], None]) -> tuple[str, str]:
        with self._client.post(PATH, body, ACCEPT) as response:
            answer = ChatAnswer(response.blocks(), self._client.error_message)
            for piece in self._pieces(answer):
                on_text(piece)
        return answer.text, self._client.redact(answer.finish)

    def _pieces(self, answer: ChatAnswer) -> Iterator[str]:
        empty = True
        try:
            for piece in answer.pieces():
                empty = False
                yield piece
        except StreamInterrupted as error:
            unanswered = empty and isinstance(error, ConnectionDropped)
            kind = UnsupportedParameter if unanswered else ModelError
            raise self._error(f"half an answer: {error}", kind) from error
        except MalformedEvent as error:
            raise self._error(str(error)) from error

    def _error(self, message: str, kind: type[ModelError] = ModelError) -> ModelError:
        return kind(f"{self._client.base}{PATH}: {self._model}: {message}")


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
