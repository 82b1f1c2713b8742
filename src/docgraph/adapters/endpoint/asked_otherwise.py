"""What a server did not take, asked once more in another way."""

import re

from docgraph.adapters.endpoint.refusal import Refused
from docgraph.model.errors import ModelError

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
