"""`docgraph watch --json` in a process of its own, and what it tells."""

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tests.support.http_server import DOCGRAPH

PATIENCE = 120.0  # seconds, far more than anything here takes
Event = dict[str, Any]


class WatchProcess:
    """Events are read by a thread, in their order."""

    def __init__(self, process: "subprocess.Popen[str]", log: IO[str]) -> None:
        self.process = process
        self.seen: list[Event] = []
        self._log = log
        self._events: queue.Queue[Event] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def until(self, *kinds: str, where: Callable[[Event], bool] = lambda _: True) -> Event:
        """The next event of one of these kinds, which fits."""
        while True:
            try:
                event = self._events.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"no {kinds} came: {self.seen}\n{self.log}") from None
            self.seen.append(event)
            if event["event"] in kinds and where(event):
                return event

    def current(self) -> Event:
        """After the next ingest of any outcome but a failure."""
        return self.until("published", "unchanged")

    @property
    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()

    def end(self, sign: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(sign)
        return self.process.wait(PATIENCE)

    def rest(self) -> list[Event]:
        """All that came before it ended."""
        self._reader.join(PATIENCE)
        while not self._events.empty():
            self.seen.append(self._events.get())
        return self.seen

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._events.put(json.loads(line))


@contextmanager
def watching(folder: Path, *words: str, **environment: str) -> Iterator[WatchProcess]:
    """In a folder with its docgraph.yaml."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("DOCGRAPH_")}
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [*DOCGRAPH, "watch", *words, "--json"],
            cwd=folder,
            env={**clean, "DOCGRAPH_VECTOR_CACHE": "off", **environment},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            watch = WatchProcess(process, log)
            yield watch
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
            watch.rest()


def cpu_ticks(pid: int) -> int:
    """Of all threads of a process, on Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
