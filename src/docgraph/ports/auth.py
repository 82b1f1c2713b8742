"""API keys, each with its person and a hash of its secret; and verifiers of bearer tokens."""

from collections.abc import Mapping
from typing import Protocol

from docgraph.model.access import ApiKey


class ApiKeyStore(Protocol):
    def add(self, key: ApiKey, secret_hash: bytes) -> None: ...

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """In any tenant: a request that shows a key does not name its tenant."""
        ...

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        """Ordered by time and id."""
        ...

    def remove(self, tenant: str, key_id: str) -> bool:
        """From the next request on, the key authenticates nobody."""
        ...


LONGEST_TOKEN = 16 * 1024  # of tokens and of HTTP headers; longer ones are not parsed


class TokenVerifier(Protocol):
    name: str

    def names_issuer(self, token: str) -> bool:
        """Whether the token says that this issuer signed it; nothing is verified or fetched."""
        ...

    def verify(self, token: str) -> Mapping[str, object]:
        """The claims of a token whose signature, issuer, audience and times are valid.

        Raises NotAuthenticated on all others; its message is for the operator and repeats no part
        of the token.
        """
        ...
