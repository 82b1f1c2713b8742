"""API keys in memory, where a test needs no file."""

from docgraph.model.access import ApiKey


class MemoryKeys:
    def __init__(self) -> None:
        self._kept: dict[str, tuple[ApiKey, bytes]] = {}

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        self._kept[key.id] = (key, secret_hash)

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        return self._kept.get(key_id)

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        found = (key for key, _ in self._kept.values() if key.tenant == tenant)
        return tuple(sorted(found, key=lambda key: (key.created, key.id)))

    def remove(self, tenant: str, key_id: str) -> bool:
        found = self._kept.get(key_id)
        if found is None or found[0].tenant != tenant:
            return False
        del self._kept[key_id]
        return True
