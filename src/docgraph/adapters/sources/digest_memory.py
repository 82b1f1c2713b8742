"""Digests of files that were read, so that what did not change need not be read again."""

import os
import time
from collections.abc import Callable, Iterable

Signature = tuple[int, int, int, int, int]

# File systems keep times as coarse as this. A file that was changed so shortly before it was read
# may be changed once more and look the same.
COARSEST_SECONDS = 2.0


def signature_of(status: os.stat_result) -> Signature:
    """Changes when the file does, unless that happens twice within the same tick of its clock."""
    return (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_dev,
    )


class DigestMemory:
    """In memory alone, by path. A digest counts while the file has the signature that it had when
    it was read; one that was read too soon after its last change is not kept."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._known: dict[str, tuple[Signature, str]] = {}

    def find(self, path: str, status: os.stat_result) -> str | None:
        found = self._known.get(path)
        return found[1] if found is not None and found[0] == signature_of(status) else None

    def record(self, path: str, digest: str, before: os.stat_result, after: os.stat_result) -> None:
        """`before` and `after` are of the open file, around its reading."""
        signature = signature_of(before)
        changed = max(before.st_mtime, before.st_ctime)
        if signature == signature_of(after) and changed + COARSEST_SECONDS < self._now():
            self._known[path] = (signature, digest)
        else:
            self._known.pop(path, None)

    def forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._known.pop(path, None)
