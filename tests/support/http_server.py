"""`docgraph serve` as people start it, in a process of its own; its embedder is a scripted one."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.support.scripted_server import Answer, Body
from tests.support.small_world import hashed

COMMAND = [sys.executable, "-m", "docgraph.doors.cli.main", "serve", "--port", "0"]
LONGEST = 60.0


@dataclass(frozen=True, slots=True)
class Served:
    url: str
    process: subprocess.Popen[str]
    client: httpx.Client

    def ready(self) -> "Served":
        until = time.monotonic() + LONGEST
        while self.client.get("/readyz").status_code != 200:
            assert time.monotonic() < until, self.client.get("/readyz").text
            time.sleep(0.02)
        return self

    def end(self, sign: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """How it ended, and all that it said."""
        self.process.send_signal(sign)
        said, log = self.process.communicate(timeout=LONGEST)
        return self.process.returncode, said, log


@contextmanager
def serving_in(folder: Path, *words: str) -> Iterator[Served]:
    """Where it runs, docgraph.yaml is read."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("DOCGRAPH_")}
    process = subprocess.Popen(
        [*COMMAND, *words],
        cwd=folder,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("docgraph listens on http://"), line + process.stderr.read()
        url = line.split()[-1]
        with httpx.Client(base_url=url, timeout=LONGEST) as client:
            yield Served(url, process, client)
    finally:
        if process.poll() is None:
            process.kill()
        process.stdout.close()
        process.stderr.close()
        process.wait()


def embeddings(body: Body) -> Answer:
    """Of the words of each text."""
    rows = [
        {"index": number, "embedding": hashed(text).tolist()}
        for number, text in enumerate(body["input"])
    ]
    return 200, {"data": rows}, {}


def settings_file(folder: Path, embedder: str, more: str = "") -> None:
    text = f"store: store.db\nembedder: {{endpoint: '{embedder}', model: words, level: 9}}\n{more}"
    (folder / "docgraph.yaml").write_text(text, encoding="utf-8")
