"""A real `docgraph serve` on loopback, started and ended by its own process id."""

import http.client
import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

LONGEST_START = 120.0
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")
DOCGRAPH = [sys.executable, "-m", "docgraph.doors.cli.main"]


@dataclass(frozen=True, slots=True)
class Serving:
    process: subprocess.Popen[str]
    port: int

    def wait_until_ready(self) -> None:
        wait_until_ready(self.port)

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.process.kill()

    def ended(self) -> int:
        code = self.process.wait(LONGEST_START)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def serve(folder: Path, *options: str, ready: bool = True) -> Serving:
    """In a folder with its docgraph.yaml; `ready` when this returns, else only listening."""
    with (folder / "serve.log").open("a") as log:
        process = subprocess.Popen(
            [*DOCGRAPH, "serve", "--port", "0", *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    for line in process.stdout:
        if found := ADDRESS.search(line):
            serving = Serving(process, int(found[1]))
            if ready:
                serving.wait_until_ready()
            return serving
    raise SystemExit(f"docgraph serve ended with {process.wait()}; see {folder / 'serve.log'}")


def wait_until_ready(port: int) -> None:
    until = time.monotonic() + LONGEST_START
    while time.monotonic() < until:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            line.request("GET", "/readyz")
            if line.getresponse().status == http.HTTPStatus.OK:
                return
        finally:
            line.close()
        time.sleep(0.2)
    raise SystemExit("docgraph serve does not get ready")


def run(folder: Path, *words: str) -> str:
    """One command of the command line; what it prints."""
    done = subprocess.run(
        [*DOCGRAPH, *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout


def key_for(folder: Path, person: str, *groups: str) -> str:
    """A person of these groups, who may ingest, and a key that stands for them."""
    wanted = [word for group in groups for word in ("--group", group)]
    run(folder, "principals", "add", person, *wanted, "--right", "ingest")
    found: str = json.loads(run(folder, "keys", "add", person, "--json"))["secret"]
    return found
