"""Runs a command of a package and writes which of the package's functions it called.

Arguments: the package's folder, a file to write, `module:function`, and the command's own
arguments. Bodies of modules and classes are not functions, and what they call while the package is
imported does not count: nobody follows a question into it. Python processes that the command starts
are recorded too, as soon as they call something, since they may be killed at any time.
"""

import importlib
import inspect
import json
import os
import sys
import threading
from pathlib import Path
from types import FrameType

# What `checks/profiled/sitecustomize.py` finds in a process that the command has started.
PACKAGE, OUTPUT = "PROFILED_PACKAGE", "PROFILED_OUTPUT"


class CallRecorder:
    """A profile function for `sys.setprofile`; `calls` are (file, qualified name)."""

    def __init__(self, package: str, output: Path) -> None:
        self._package = package + os.sep
        self._file = output.open("a", encoding="utf-8", buffering=1)
        self.calls: set[tuple[str, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not self._is_function(frame):
            return
        call = (code.co_filename, code.co_qualname)
        if call not in self.calls and not self._is_import(frame):
            self.calls.add(call)
            self._file.write(json.dumps(call) + "\n")

    def _is_function(self, frame: FrameType) -> bool:
        code = frame.f_code
        return code.co_filename.startswith(self._package) and bool(
            code.co_flags & inspect.CO_OPTIMIZED  # neither a module's body nor a class's
        )

    def _is_import(self, frame: FrameType) -> bool:
        caller = frame.f_back
        while caller is not None:
            code = caller.f_code
            if code.co_name == "<module>" and code.co_filename.startswith(self._package):
                return True
            caller = caller.f_back
        return False


def record_calls(package: str, output: Path) -> None:
    """From now on, in every thread."""
    recorder = CallRecorder(package, output)
    threading.setprofile(recorder)
    sys.setprofile(recorder)


def main() -> None:
    package, output, entry, *arguments = sys.argv[1:]
    module, function = entry.split(":")
    sys.argv = [Path(package).name, *arguments]
    os.environ |= {PACKAGE: package, OUTPUT: output}
    record_calls(package, Path(output))
    try:
        getattr(importlib.import_module(module), function)()
    finally:
        sys.setprofile(None)


if __name__ == "__main__":
    main()
