"""Reranks with a server's `POST /rerank`, as llama.cpp, vLLM, Jina and Cohere offer it."""

import math
from collections.abc import Sequence

from docgraph.adapters.endpoint.http_client import EndpointClient
from docgraph.adapters.endpoint.request_limiter import RequestLimiter
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.errors import ModelError


class EndpointReranker:
    def __init__(
        self,
        base: str,
        model: str,
        *,
        api_key: str | None = None,
        clearance: Clearance = UNCLASSIFIED,
    ) -> None:
        self._client = EndpointClient(base, api_key=api_key, limiter=RequestLimiter())
        self._model = model
        self._clearance = clearance

    @property
    def name(self) -> str:
        return self._model

    @property
    def clearance(self) -> Clearance:
        return self._clearance

    def relevance(self, question: str, texts: Sequence[str]) -> list[float]:
        body = {"model": self._model, "query": question, "documents": list(texts)}
        answer = self._client.post_json("/rerank", body)
        rows = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise self._error('the answer has no list "results"')
        scores = dict(self._score(row) for row in rows)
        if sorted(scores) != list(range(len(texts))):
            raise self._error(f"{len(scores)} scores for {len(texts)} texts")
        return [scores[index] for index in range(len(texts))]

    def _score(self, row: object) -> tuple[int, float]:
        index = row.get("index") if isinstance(row, dict) else None
        score = row.get("relevance_score") if isinstance(row, dict) else None
        if not isinstance(index, int) or not isinstance(score, int | float):
            raise self._error('a result lacks its "index" or "relevance_score"')
        if not math.isfinite(score):
            raise self._error("a score is not a finite number")
        return index, float(score)

    def _error(self, message: str) -> ModelError:
        return ModelError(f"{self._client.base}/rerank: {self._model}: {message}")
