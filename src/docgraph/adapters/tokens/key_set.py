"""An issuer's keys, kept for a while: strangers cannot make us ask for them again and again."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from docgraph.adapters.tokens.key_source import KeySource
from docgraph.adapters.tokens.signing_key import SigningKey, signing_keys
from docgraph.model.errors import NotKnown

# Seconds. No longer usable than tokens are, for a key may have been withdrawn meanwhile.
FRESH, USABLE = 600.0, 3600.0
PAUSE = 10.0  # between two tries, whoever asks


@dataclass(frozen=True, slots=True)
class _Kept:
    keys: tuple[SigningKey, ...]
    since: float


class KeySet:
    """Read again when it is no longer fresh, and when a token names a key that is not in it.

    Where that fails, what was read before counts on until it is too old.
    """

    def __init__(self, source: KeySource, *, clock: Callable[[], float]) -> None:
        self._source = source
        self._clock = clock
        self._reading = threading.Lock()
        self._kept: _Kept | None = None
        self._tried: float | None = None
        self._trouble = ""

    def key(self, key_id: str | None, algorithm: str) -> SigningKey:
        """The one key that can be meant; several that could be are none."""
        self._freshen()
        found = self._find(key_id, algorithm)
        if not found:
            # Strangers name keys as they like: while one of them has us ask, no other waits.
            self._read(wait=self._usable() is None)
            found = self._find(key_id, algorithm)
        if len(found) == 1:
            return found[0]
        if self._usable() is None:
            raise NotKnown(f"the issuer's keys are not to be had: {self._trouble}")
        many = "several keys" if found else "no key"
        raise NotKnown(f"{many} of the issuer's set fit what the token's header says")

    def _find(self, key_id: str | None, algorithm: str) -> tuple[SigningKey, ...]:
        kept = self._usable()
        return tuple(
            key
            for key in (kept.keys if kept else ())
            if algorithm in key.algorithms and key_id in (None, key.id)
        )

    def _usable(self) -> _Kept | None:
        kept = self._kept
        return kept if kept and self._clock() - kept.since < USABLE else None

    def _freshen(self) -> None:
        kept = self._usable()
        if kept is None:
            self._read(wait=True)
        elif self._clock() - kept.since >= FRESH:
            self._read(wait=False)  # one asks, the others go on with what there is

    def _read(self, *, wait: bool) -> None:
        if not self._reading.acquire(blocking=wait):
            return
        try:
            now = self._clock()
            if self._tried is not None and now - self._tried < PAUSE:
                return
            self._tried = now
            self._kept = _Kept(signing_keys(self._source.read()), now)
        except NotKnown as error:
            self._trouble = str(error)
        finally:
            self._reading.release()
