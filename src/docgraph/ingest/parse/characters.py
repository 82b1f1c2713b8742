"""From a byte's offset in UTF-8 to its character's."""

import numpy as np


class Characters:
    """Counts, for every byte, the characters that begin before it; nothing to do for ASCII."""

    __slots__ = ("_before",)

    def __init__(self, data: bytes) -> None:
        self._before: memoryview | None = None
        if not data.isascii():
            begins = (np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80
            counted = np.concatenate(([0], np.cumsum(begins, dtype=np.int64)))
            self._before = counted.data

    def __call__(self, byte: int) -> int:
        return byte if self._before is None else int(self._before[byte])
