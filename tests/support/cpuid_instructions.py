"""Finds the CPUID instructions of an x86-64 library, and makes a copy of it where each one traps.

Their two bytes also occur inside other instructions. So the code is decoded from the beginning of
the function, which the library's table for unwinding the stack lists even without symbols.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import capstone

CPUID, INVALID = b"\x0f\xa2", b"\x0f\x0b"
LOAD, UNWINDING, EXECUTABLE = 1, 0x6474E550, 1
SORTED_TABLE = bytes((1, 0x1B, 0x03, 0x3B))  # version, and how its numbers are written


@dataclass(frozen=True, slots=True)
class Segment:
    kind: int
    flags: int
    start: int
    address: int
    size: int


def with_traps(library: bytes) -> bytes:
    """Every CPUID becomes an instruction that is invalid and as long."""
    changed = bytearray(library)
    for start in cpuid_instructions(library):
        changed[start : start + len(INVALID)] = INVALID
    return bytes(changed)


def cpuid_instructions(library: bytes) -> Iterator[int]:
    """Their positions in the file."""
    found = list(segments(library))
    functions = function_addresses(library, found)
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    for segment in found:
        if segment.kind != LOAD or not segment.flags & EXECUTABLE:
            continue
        shift = segment.address - segment.start
        for place in occurrences(library, segment):
            begin = functions[bisect_right(functions, place + shift) - 1]
            code = library[begin - shift : place + len(CPUID)]
            decoded = [(at, name) for at, _, name, _ in decoder.disasm_lite(code, begin)]
            if decoded and decoded[-1] == (place + shift, "cpuid"):
                yield place


def segments(library: bytes) -> Iterator[Segment]:
    (start,) = struct.unpack_from("<Q", library, 32)
    size, count = struct.unpack_from("<HH", library, 54)
    for number in range(count):
        kind, flags, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", library, start + number * size
        )
        yield Segment(kind, flags, offset, address, length)


def function_addresses(library: bytes, found: list[Segment]) -> list[int]:
    (table,) = (segment for segment in found if segment.kind == UNWINDING)
    assert library[table.start : table.start + 4] == SORTED_TABLE
    (count,) = struct.unpack_from("<I", library, table.start + 8)
    pairs = struct.iter_unpack("<ii", library[table.start + 12 : table.start + 12 + 8 * count])
    addresses = [table.address + function for function, _ in pairs]
    assert all(one <= other for one, other in pairwise(addresses))
    return addresses


def occurrences(library: bytes, segment: Segment) -> Iterator[int]:
    end = segment.start + segment.size
    place = library.find(CPUID, segment.start, end)
    while place >= 0:
        yield place
        place = library.find(CPUID, place + 1, end)
