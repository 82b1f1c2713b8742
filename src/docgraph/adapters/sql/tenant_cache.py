"""One cache for all that a process keeps of a store's tenants, bounded in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from docgraph.adapters.sql.version_table import Counted

DEFAULT_BYTES = 2**31
ENTRY_BYTES = 256  # what an entry takes beside its value

K = TypeVar("K")
V = TypeVar("V")
_Key = tuple[str, str, Any]  # history of a tenant, part, and the entry's key in it


@dataclass(frozen=True, slots=True)
class History:
    """States of a tenant in which a number means the same. `newest` is the last that was read."""

    name: str
    newest: Counted


class SharedFolder(Protocol):
    """Where the processes of one server keep what each of them would hold in memory."""

    def history(self, tenant: str, counted: Counted) -> str:
        """The name of the one that this state is part of, the same in all processes."""
        ...

    def files(self, history: str) -> Any:
        """Of vectors."""
        ...


class TenantCache:
    """Entries of all tenants and parts; the least recently used goes first.

    A caller may use a value after it has been evicted.
    """

    def __init__(self, limit: int = DEFAULT_BYTES, shared: SharedFolder | None = None) -> None:
        self.limit = limit
        self.shared = shared
        self.nbytes = 0
        self._histories: dict[str, History] = {}  # by tenant
        self._entries: OrderedDict[_Key, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._loading: dict[str, threading.RLock] = {}

    def loading(self, name: str) -> threading.RLock:
        """A lock for loading something large of a tenant or a history, so that others wait and
        find it here."""
        with self._lock:
            return self._loading.setdefault(name, threading.RLock())

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

    def keep(self, history: str, predicates: Mapping[str, Callable[[Any], bool]]) -> None:
        """Of these parts of a history, drops every entry whose key its predicate rejects."""
        with self._lock:
            gone = [
                key
                for key in self._entries
                if key[0] == history and key[1] in predicates and not predicates[key[1]](key[2])
            ]
            for key in gone:
                self._discard(key)

    def history(self, tenant: str, counted: Counted) -> History:
        """The one that this state is part of.

        A state that neither follows the newest one nor is one before it comes from a backup or
        from another store: its numbers may mean something else, so nothing that is kept counts.
        """
        with self._lock:
            known = self._histories.get(tenant)
            if known is not None and known.newest.follows(counted.token):
                return known  # of a transaction that began before others committed, perhaps
            if self.shared is not None:
                name = self.shared.history(tenant, counted)
            elif known is None or not counted.follows(known.newest.token):
                name = f"{counted.token} {tenant}"
            else:
                name = known.name
            if known is not None and known.name != name:
                self._forget(known)
            found = self._histories[tenant] = History(name, counted)
            return found

    def _forget(self, before: History) -> None:
        for key in [key for key in self._entries if key[0] == before.name]:
            self._discard(key)
        self._loading.pop(before.name, None)

    def _discard(self, key: _Key) -> None:
        _, nbytes = self._entries.pop(key, (None, 0))
        self.nbytes -= nbytes

    def _evict(self) -> None:
        while self.nbytes > self.limit:
            _, (_, nbytes) = self._entries.popitem(last=False)
            self.nbytes -= nbytes


class CachePart(Generic[K, V]):
    """Values of one kind in one history of a tenant."""

    def __init__(self, cache: TenantCache, history: str, kind: str) -> None:
        self._cache = cache
        self._history = history
        self._kind = kind

    def get(self, key: K) -> V | None:
        found: V | None = self._cache.get((self._history, self._kind, key))
        return found

    def put(self, key: K, value: V, nbytes: int) -> None:
        self._cache.put((self._history, self._kind, key), value, nbytes)

    def resize(self, key: K, nbytes: int) -> None:
        self._cache.resize((self._history, self._kind, key), nbytes)
