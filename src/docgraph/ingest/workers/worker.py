"""The worker process: reads batches of files from a pipe, parses them, writes a result for each."""

import gc
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from docgraph.ingest.garbage_collection import RARE
from docgraph.ingest.parse_file import parse_file
from docgraph.ingest.registries import Registries
from docgraph.ingest.workers.limits import (
    ParserLimits,
    end_with_parent,
    limit_cpu_time,
    limit_memory,
)
from docgraph.ingest.workers.messages import encode_result, read_frame, write_frame

EXIT_MEMORY = 86  # the exit code of a worker that reached its memory limit


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """`load` is called in the worker, so it must be possible to pickle it."""

    load: Callable[[], Registries]
    limits: ParserLimits


def main() -> None:
    """The argument is the lifeline's file descriptor, empty where there is none."""
    if lifeline := sys.argv[1]:
        os.set_inheritable(int(lifeline), False)
        end_with_parent(int(lifeline))
    requests, replies = _take_pipes()
    try:
        _serve(requests, replies)
    except MemoryError:
        os._exit(EXIT_MEMORY)


def _serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    first = read_frame(requests)
    if first is None:
        return
    settings: WorkerSettings = pickle.loads(first)  # noqa: S301  the parent made it
    limit_memory(settings.limits)
    limit_cpu_time(settings.limits)
    registries = settings.load()
    gc.freeze()
    gc.set_threshold(*RARE)
    write_frame(replies, b"")  # ready
    while (batch := read_frame(requests)) is not None:
        for task in pickle.loads(batch):  # noqa: S301
            limit_cpu_time(settings.limits)
            write_frame(replies, encode_result(parse_file(task, registries)))


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Away from standard input and output, so that parsers can neither read nor write them.

    What a parser prints goes to standard error.
    """
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies
