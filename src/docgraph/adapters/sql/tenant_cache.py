"""One cache for all that a process keeps of a store's tenants, bounded in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

DEFAULT_BYTES = 2**31
ENTRY_BYTES = 256  # what an entry takes beside its value

K = TypeVar("K")
V = TypeVar("V")
_Key = tuple[str, str, Any]  # tenant, part, and the entry's key in it


class TenantCache:
    """Entries of all tenants and parts; the least recently used goes first.

    A caller may use a value after it has been evicted.
    """

    def __init__(self, limit: int = DEFAULT_BYTES) -> None:
        self.limit = limit
        self.nbytes = 0
        self.revisions: dict[str, int] = {}  # the newest count of changes seen, by tenant
        self._entries: OrderedDict[_Key, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: dict[str, threading.RLock] = {}

    def loading(self, tenant: str) -> threading.RLock:
        """A lock for loading something large, so that others wait and find it here."""
        with self._lock:
            return self._loading.setdefault(tenant, threading.RLock())

    def get(self, key: _Key) -> Any:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: _Key, value: Any, nbytes: int) -> None:
        """A value that is larger than the limit is not kept."""
        with self._lock:
            self._discard(key)
            self._entries[key] = value, nbytes + ENTRY_BYTES
            self.nbytes += nbytes + ENTRY_BYTES
            if nbytes + ENTRY_BYTES > self.limit:
                self._discard(key)
            self._evict()

    def resize(self, key: _Key, nbytes: int) -> None:
        """The value has grown, and is not thereby used."""
        with self._lock:
            if key in self._entries:
                value, before = self._entries[key]
                self._entries[key] = value, nbytes + ENTRY_BYTES
                self.nbytes += nbytes + ENTRY_BYTES - before
                self._evict()

    def keep(self, tenant: str, predicates: Mapping[str, Callable[[Any], bool]]) -> None:
        """Of these parts of the tenant, drops every entry whose key its predicate rejects."""
        with self._lock:
            gone = [
                key
                for key in self._entries
                if key[0] == tenant and key[1] in predicates and not predicates[key[1]](key[2])
            ]
            for key in gone:
                self._discard(key)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self.revisions.clear()
            self.nbytes = 0

    def _discard(self, key: _Key) -> None:
        _, nbytes = self._entries.pop(key, (None, 0))
        self.nbytes -= nbytes

    def _evict(self) -> None:
        while self.nbytes > self.limit:
            _, (_, nbytes) = self._entries.popitem(last=False)
            self.nbytes -= nbytes


class CachePart(Generic[K, V]):
    """One tenant's values of one kind."""

    def __init__(self, cache: TenantCache, tenant: str, kind: str) -> None:
        self._cache = cache
        self._tenant = tenant
        self._kind = kind

    def get(self, key: K) -> V | None:
        found: V | None = self._cache.get((self._tenant, self._kind, key))
        return found

    def put(self, key: K, value: V, nbytes: int) -> None:
        self._cache.put((self._tenant, self._kind, key), value, nbytes)

    def resize(self, key: K, nbytes: int) -> None:
        self._cache.resize((self._tenant, self._kind, key), nbytes)
