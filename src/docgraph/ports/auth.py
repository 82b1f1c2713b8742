"""Where API keys are kept: who each stands for, and a hash of its secret."""

from collections.abc import Mapping
from typing import Protocol

from docgraph.model.access import ApiKey


class ApiKeyStore(Protocol):
    def add(self, key: ApiKey, secret_hash: bytes) -> None: ...

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Whatever its tenant: whoever shows a key has not said where they belong."""
        ...

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        """By time and id."""
        ...

    def remove(self, tenant: str, key_id: str) -> bool:
        """From the next request on, nobody comes in with it."""
        ...


# Who signs bearer tokens that docgraph believes.


# Of tokens and of HTTP headers; longer ones are not looked at.
LONGEST_TOKEN = 16 * 1024


class TokenVerifier(Protocol):
    name: str

    def verify(self, token: str) -> Mapping[str, object]:
        """What a token says whose signature, issuer, audience and times hold; JSON's own types.

        Raises NotKnown on all others, in words for the operator that repeat nothing of the token.
        """
        ...
