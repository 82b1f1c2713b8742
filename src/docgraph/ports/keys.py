"""Where API keys are kept: who each stands for, and a hash of its secret."""

from typing import Protocol

from docgraph.model.api_key import ApiKey


class Keys(Protocol):
    def add(self, key: ApiKey, secret_hash: bytes) -> None: ...

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Whatever its tenant: whoever shows a key has not said where they belong."""
        ...

    def listed(self, tenant: str) -> tuple[ApiKey, ...]:
        """By time and id."""
        ...

    def remove(self, tenant: str, key_id: str) -> bool:
        """From the next request on, nobody comes in with it."""
        ...
