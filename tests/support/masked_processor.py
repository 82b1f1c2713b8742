"""Runs onnxruntime as if the processor had fewer instructions: on x86-64 Linux, in its own process.

`python -m tests.support.masked_processor MODEL COPY CODE` runs CODE. CPUID instructions of COPY, a
folder with onnxruntime, must trap: the handler executes the instruction and clears the bits that
the processor MODEL does not have. So onnxruntime chooses the code for that processor.
"""

import ctypes
import mmap
import signal
import sys
from collections.abc import Mapping
from types import MappingProxyType

EAX, EBX, ECX, EDX = range(4)
Bits = Mapping[tuple[int, int, int], tuple[int, ...]]  # by leaf, subleaf and register

VNNI: Bits = {(7, 0, ECX): (11,), (7, 1, EAX): (4,), (7, 1, EDX): (4, 5, 10)}
NEWER: Bits = {(7, 0, EDX): (22, 23, 24, 25), (7, 1, EAX): (5, 21, 23)}  # AMX, BF16, FP16
AVX512: Bits = {
    (7, 0, EBX): (16, 17, 21, 26, 27, 28, 30, 31),
    (7, 0, ECX): (1, 6, 11, 12, 14),
    (7, 0, EDX): (2, 3, 8, 22, 23, 24, 25),
    (7, 1, EAX): (5, 21, 23),
}
MODELS: Mapping[str, tuple[Bits, ...]] = MappingProxyType(
    {
        "this one": (),
        "AVX-512 without VNNI": (VNNI, NEWER),
        "AVX2 with VNNI": (AVX512,),
        "AVX2": (AVX512, VNNI),
    }
)
EXECUTE_CPUID = bytes.fromhex(
    "53 89f8 89f1 4989d0"  # push rbx; mov eax, edi; mov ecx, esi; mov r8, rdx
    "0fa2"  # cpuid
    "418900 41895804 41894808 4189500c"  # mov [r8], eax; [r8+4], ebx; [r8+8], ecx; [r8+12], edx
    "5b c3"  # pop rbx; ret
)
REGISTERS = 40  # where a signal's context has them; by number:
RBX, RDX, RAX, RCX, RIP = 11, 12, 13, 14, 16
WITH_CONTEXT, NESTED = 4, 0x40000000  # SA_SIGINFO, SA_NODEFER

Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class Action(ctypes.Structure):
    """The C library's `struct sigaction`."""

    _fields_ = (
        ("handler", Handler),
        ("mask", ctypes.c_uint64 * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class Processor:
    def __init__(self, model: str) -> None:
        self.traps = 0
        self._missing = MODELS[model]
        self._page = mmap.mmap(-1, mmap.PAGESIZE, prot=7)
        self._page.write(EXECUTE_CPUID)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._page))
        words = ctypes.POINTER(ctypes.c_uint32)
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, words)
        self._execute = prototype(address)
        self._action = Action(handler=Handler(self._trapped), flags=WITH_CONTEXT | NESTED)

    def start(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.sigaction(signal.SIGILL, ctypes.byref(self._action), None) == 0

    def _trapped(self, _signal: int, _information: int, context: int) -> None:
        self.traps += 1
        registers = (ctypes.c_uint64 * 23).from_address(context + REGISTERS)
        leaf, subleaf = registers[RAX] & 0xFFFFFFFF, registers[RCX] & 0xFFFFFFFF
        result = (ctypes.c_uint32 * 4)()
        self._execute(leaf, subleaf, result)
        for missing in self._missing:
            for register in (EAX, EBX, ECX, EDX):
                for bit in missing.get((leaf, subleaf, register), ()):
                    result[register] &= ~(1 << bit)
        for name, value in zip((RAX, RBX, RCX, RDX), result, strict=True):
            registers[name] = value
        registers[RIP] += 2  # continues after the instruction


if __name__ == "__main__":
    model, copy, code = sys.argv[1:]
    processor = Processor(model)
    processor.start()
    sys.path.insert(0, copy)
    exec(code)
    assert processor.traps, f"{copy} was not used"
