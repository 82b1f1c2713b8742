"""A worker process as its parent sees it: started, sent batches, ended, and why it ended."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from docgraph.ingest.parse_file import ParseTask
from docgraph.ingest.workers.limits import MEBIBYTE, ParserLimits
from docgraph.ingest.workers.messages import BadFrame, read_frame, write_frame
from docgraph.ingest.workers.worker import EXIT_MEMORY, WorkerSettings
from docgraph.model.errors import ParserError

if sys.platform != "win32":
    import fcntl

_CODE = """\
import sys
sys.path[:] = sys.argv[2:]
from docgraph.ingest.workers.worker import main
main()
"""
# One thread for numpy: more cost address space and time, and parsers use none.
_VARIABLES = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_PIPE_BYTES = 2**20


class WorkerEnded(Exception):
    """The worker ended before its answer; the message says why.

    `final` says that a new worker would end in the same way.
    """

    def __init__(self, reason: str, *, final: bool) -> None:
        super().__init__(reason)
        self.final = final


class WorkerProcess:
    """Started at once; it is loading while its parent goes on.

    It has a process group of its own: a Ctrl-C is its parent's affair, and what a plug-in starts
    ends with it. `kill` may be called from any thread.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self.settings = settings
        self.answered = 0  # results, since it was started
        self._limits = settings.limits
        self._is_ready = False
        self._killed_for = ""
        self._lock = threading.Lock()
        self._process, self._lifeline = _start()
        self._requests, self._replies = _pipes(self._process)
        with suppress(BrokenPipeError):  # it has ended; `parse` will find out
            write_frame(self._requests, pickle.dumps(settings))

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Raises ParserError if it cannot start."""
        try:
            if not self._is_ready:
                self._read()
        except WorkerEnded as error:
            raise ParserError(
                f"no process for parsing could be started with {sys.executable}: {error}"
            ) from error
        self._is_ready = True

    def send(self, tasks: Sequence[ParseTask]) -> None:
        """The worker reads all of them before it answers the first."""
        try:
            write_frame(self._requests, pickle.dumps(tasks, pickle.HIGHEST_PROTOCOL))
        except OSError:
            raise self._ended() from None

    def receive(self) -> bytes:
        """The result of the next task that was sent."""
        result = self._read()
        self.answered += 1
        return result

    def kill(self, reason: str = "") -> None:
        """At once; a `reason` is what the file is reported with."""
        with self._lock:
            self._killed_for = self._killed_for or reason
            if self._process.returncode is None:
                _kill_group(self._process)

    def close(self) -> None:
        """It has nothing to save: it is killed, and waited for."""
        self.kill()
        with self._lock:
            self._process.wait()
        with suppress(OSError):  # what could not be sent any more
            self._requests.close()
        self._replies.close()
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None

    def is_alive(self) -> bool:
        with self._lock:
            return self._process.poll() is None

    def forget(self) -> None:
        """In a fork of the parent, to which it does not belong."""
        for end in (self._requests.fileno(), self._replies.fileno(), self._lifeline):
            if end is not None:
                os.close(end)
        self._process.returncode = 0

    def _read(self) -> bytes:
        try:
            data = read_frame(self._replies, self._limits.memory_mib * MEBIBYTE)
        except BadFrame as error:
            raise WorkerEnded(f"parser crashed: {error}", final=False) from error
        if data is None:
            raise self._ended()
        return data

    def _ended(self) -> WorkerEnded:
        """The group first: what the worker has started must not outlive it."""
        self.kill()
        with self._lock:
            code = self._process.wait()
            if self._killed_for:
                return WorkerEnded(self._killed_for, final=True)
        if code == EXIT_MEMORY:
            return WorkerEnded(f"parser exceeded {self._limits.memory_mib} MiB", final=False)
        if code == -getattr(signal, "SIGXCPU", 0):
            return WorkerEnded(exceeded_cpu_time(self._limits), final=True)
        kind, number = ("signal", -code) if code < 0 else ("exit code", code)
        return WorkerEnded(f"parser crashed: {kind} {number}", final=False)


def exceeded_cpu_time(limits: ParserLimits) -> str:
    return f"parser exceeded {limits.cpu_seconds} s of CPU time"


def _start() -> tuple[subprocess.Popen[bytes], int | None]:
    """With the modules of this process; `-P` keeps the working folder out of them."""
    flag = "-I" if sys.flags.isolated else "-P"
    environment = {**os.environ, **_VARIABLES}
    pipe = subprocess.PIPE
    if sys.platform == "win32":
        command = [sys.executable, flag, "-c", _CODE, "", *sys.path]
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment), None  # noqa: S603
    worker_end, own_end = os.pipe()
    try:
        process = subprocess.Popen(  # noqa: S603  our own interpreter with our own code
            [sys.executable, flag, "-c", _CODE, str(worker_end), *sys.path],
            stdin=pipe,
            stdout=pipe,
            env=environment,
            pass_fds=(worker_end,),
            process_group=0,
        )
    except OSError as error:
        os.close(own_end)
        raise ParserError(f"no process for parsing could be started: {error}") from error
    finally:
        os.close(worker_end)
    return process, own_end


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """As large as possible: a worker can go on while its parent is busy."""
    assert process.stdin is not None
    assert process.stdout is not None
    if sys.platform == "linux":
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return process.stdin, process.stdout


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has just ended
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
