"""Posts JSON to one server and reads JSON."""

import json
import time
from collections.abc import Callable

from docgraph.adapters.endpoint.connection import Connection
from docgraph.adapters.endpoint.reply import Interrupted
from docgraph.model.errors import ModelError

LARGEST_ANSWER = 256 * 1024 * 1024


class JsonEndpoint:
    """`base` such as http://localhost:11434/v1; a key belongs in `api_key`, not in the address."""

    def __init__(
        self,
        base: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._connection = Connection(
            base, key=api_key, timeout=timeout, retries=retries, sleep=sleep
        )

    @property
    def base(self) -> str:
        return self._connection.base

    def post(self, path: str, body: object) -> object:
        try:
            with self._connection.answer(path, body, "application/json") as reply:
                data = reply.start(LARGEST_ANSWER + 1)
        except Interrupted as error:
            raise ModelError(f"{self.base}{path}: half an answer: {error}") from error
        if len(data) > LARGEST_ANSWER:
            raise ModelError(f"{self.base}{path}: the answer has more than {LARGEST_ANSWER} bytes")
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.base}{path}: the answer is not JSON: {error}") from error
