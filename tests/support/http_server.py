"""`docgraph serve` as people start it, in a process of its own, in a folder with its settings."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

from docgraph.testing.small_store import hash_vector
from tests.support.scripted_server import Answer, Body
from tests.support.warm_command import warm_program

DOCGRAPH = [sys.executable, "-m", "docgraph.interfaces.cli.main"]
COMMAND = [*DOCGRAPH, "serve", "--port", "0"]
MAX_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ServerProcess:
    url: str
    process: subprocess.Popen[str]
    client: httpx.Client
    log: IO[str]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def ready(self) -> "ServerProcess":
        until = time.monotonic() + MAX_SECONDS
        while self.client.get("/readyz").status_code != 200:
            assert time.monotonic() < until, self.client.get("/readyz").text
            time.sleep(0.02)
        return self

    def end(self, sign: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """How it ended, and all that it said."""
        self.process.send_signal(sign)
        return self.wait()

    def wait(self) -> tuple[int, str, str]:
        said, _ = self.process.communicate(timeout=MAX_SECONDS)
        return self.process.returncode, said, read_log(self.log)


@contextmanager
def serve_in(folder: Path, *words: str) -> Iterator[ServerProcess]:
    """Where it runs, docgraph.yaml is read."""
    with tempfile.TemporaryFile("w+") as log, _started(folder, [*COMMAND, *words], log) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("docgraph listens on http://"), line + read_log(log)
            url = line.split()[-1]
            with httpx.Client(base_url=url, timeout=MAX_SECONDS) as client:
                yield ServerProcess(url, process, client, log)
        finally:
            if process.poll() is None:
                process.kill()


def read_log(log: IO[str]) -> str:
    """Without moving the place at which its processes write."""
    return os.pread(log.fileno(), os.fstat(log.fileno()).st_size, 0).decode()


def _started(folder: Path, command: list[str], log: IO[str]) -> subprocess.Popen[str]:
    """The log is a file: a pipe that nobody reads would hold it up once it is full."""
    return subprocess.Popen(
        command, cwd=folder, env=_clean(), stdout=subprocess.PIPE, stderr=log, text=True
    )


def _clean() -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("DOCGRAPH_")}
    return {**clean, "DOCGRAPH_VECTOR_CACHE": "off"}


def run_in(folder: Path, *words: str) -> str:
    """One command of the command line; what it prints."""
    command = [warm_program(), *words]
    done = subprocess.run(
        command, cwd=folder, env=_clean(), check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def create_key(folder: Path, person: str, *groups: str) -> str:
    """A person of these groups, who may ingest, and a key that stands for them."""
    options = [word for group in groups for word in ("--group", group)]
    run_in(folder, "principals", "add", person, *options, "--right", "ingest")
    found: str = json.loads(run_in(folder, "keys", "add", person, "--json"))["secret"]
    return found


def embeddings(body: Body) -> Answer:
    """Of the words of each text."""
    rows = [
        {"index": number, "embedding": hash_vector(text).tolist()}
        for number, text in enumerate(body["input"])
    ]
    return 200, {"data": rows}, {}


def settings_file(folder: Path, embedder: str, more: str = "", store: str = "store.db") -> None:
    model = f"{{endpoint: '{embedder}', model: words, level: 9}}"
    text = f"store: {json.dumps(store)}\nembedder: {model}\n{more}"
    (folder / "docgraph.yaml").write_text(text, encoding="utf-8")
