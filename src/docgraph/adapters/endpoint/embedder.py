"""Embeds with an OpenAI-compatible server, such as Ollama.

A server cannot prove which weights it runs, so the identity names the server beside the model:
the same name at another address counts as another model. Whether a vector depends on the
other texts of its batch is up to the server; `batch=1` rules that out. Which texts a batch has
does not depend on how many batches are sent at once.
"""

import time
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from docgraph.adapters.endpoint.concurrent_batches import run_in_order
from docgraph.adapters.endpoint.http_client import EndpointClient
from docgraph.adapters.endpoint.request_limiter import RequestLimiter
from docgraph.model.digest import digest
from docgraph.model.errors import ModelError
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector, integer_vector
from docgraph.ports.cancellation import cancellable_sleep

PROBE = "docgraph"
DEFAULT_CONCURRENCY = 4


class EndpointEmbedder:
    """`dimensions` is sent to the server if given; else a first short text measures it.

    `concurrency` is how many batches of one call are sent at once.
    """

    def __init__(
        self,
        base: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch: int = 32,
        timeout: float = 60.0,
        retries: int = 4,
        concurrency: int = DEFAULT_CONCURRENCY,
        requests_per_minute: int | None = None,
        sleep: Callable[[float], None] = cancellable_sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        limiter = RequestLimiter(per_minute=requests_per_minute, clock=clock, sleep=sleep)
        self._client = EndpointClient(
            base, api_key=api_key, timeout=timeout, retries=retries, sleep=sleep, limiter=limiter
        )
        self.concurrency = concurrency
        self.requests_per_minute = requests_per_minute
        self._model = model
        self._requested = dimensions
        self._dimensions = dimensions
        self._batch = batch
        self._lock = Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        with self._lock:
            if self._dimensions is None:
                self._dimensions = len(self._request([PROBE])[0])
        known = {"server": self._client.base, "model": self._model, "width": self._dimensions}
        return EmbedderIdentity(self._model, digest(known), self._dimensions)

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        found: list[IntVector] = []
        self.embed_batches(texts, lambda _start, vectors: found.extend(vectors))
        return found

    def embed_batches(
        self, texts: Sequence[str], on_batch: Callable[[int, Sequence[IntVector]], None]
    ) -> None:
        width = self.identity.dimensions if texts else 0
        run_in_order(
            lambda start: self._embed_batch(texts[start : start + self._batch], width),
            range(0, len(texts), self._batch),
            on_batch,
            self.concurrency,
        )

    def _embed_batch(self, texts: Sequence[str], width: int) -> list[IntVector]:
        vectors = self._request(texts)
        for vector in vectors:
            if len(vector) != width:
                expected = "are expected" if self._requested is None else "were requested"
                raise self._error(f"{len(vector)} dimensions, where {width} {expected}")
        return vectors

    def _request(self, texts: Sequence[str]) -> list[IntVector]:
        readable = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        body: dict[str, object] = {"model": self._model, "input": readable}
        if self._requested is not None:
            body["dimensions"] = self._requested
        rows = self._rows(self._client.post_json("/embeddings", body))
        missing = [number for number in range(len(texts)) if number not in rows]
        if missing or len(rows) != len(texts):
            raise self._error(f"{len(rows)} vectors for {len(texts)} texts, none for {missing[:5]}")
        return [self._vector(rows[number]) for number in range(len(texts))]

    def _rows(self, answer: object) -> dict[int, object]:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
            raise self._error('the answer has no list "data" of objects')
        indexes = [row.get("index") for row in data]
        positions = [index if isinstance(index, int) else at for at, index in enumerate(indexes)]
        return {at: row.get("embedding") for at, row in zip(positions, data, strict=True)}

    def _vector(self, row: object) -> IntVector:
        if not isinstance(row, list) or not row:
            raise self._error('an "embedding" is not a list of numbers')
        try:
            with np.errstate(over="ignore"):
                floats: npt.NDArray[np.float32] = np.array(row, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise self._error('an "embedding" is not a list of numbers') from error
        if floats.ndim != 1:
            raise self._error('an "embedding" is not a flat list of numbers')
        return integer_vector(self._model, floats)

    def _error(self, message: str) -> ModelError:
        return ModelError(f"{self._client.base}/embeddings: {self._model}: {message}")
