"""Results in the order of the files, whatever a worker does; nothing runs on when a pool ends."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from functools import partial

import pytest

from docgraph.ingest.formats.registry import Format, FormatRegistry, text_reader
from docgraph.ingest.formats.text import parse_text
from docgraph.ingest.parse_file import ParsedDocument, ParseTask, parse_file
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.registries import SHIPPED, Registries
from docgraph.ingest.workers import pool as pool_module
from docgraph.ingest.workers.limits import ParserLimits
from docgraph.ingest.workers.messages import encode_result
from docgraph.ingest.workers.pool import ParserPool, count_workers, read_reply
from docgraph.ingest.workers.spare import SPARE, SpareWorker
from docgraph.ingest.workers.worker import WorkerSettings
from docgraph.model.errors import Cancelled, ParserError
from docgraph.ports.cancellation import Deadline, deadline_scope
from docgraph.ports.source import SourceFile, SourceProblem

LIMITS = ParserLimits(memory_mib=512, cpu_seconds=30)
HELD: list[bytes] = []
SEEN: list[str] = []


def read_odd(path: str, text: str) -> ParsedFile:
    SEEN.append(path)
    if text == "hold":
        HELD.append(bytes(200 * 2**20))
    if text == "need":
        len(bytes(200 * 2**20))
    if text == "only first" and len(SEEN) > 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if text == "die":
        os._exit(7)
    if text == "loop":
        while True:
            pass
    return parse_text(path, text)


def load() -> Registries:
    return Registries(FormatRegistry((Format("odd", (".odd",), text_reader(read_odd)),)))


def fail_to_load() -> Registries:
    os._exit(9)


@pytest.fixture(autouse=True)
def no_spare() -> Iterator[None]:
    SPARE.close()
    yield
    SPARE.close()


def task(path: str, text: str = "fine") -> ParseTask:
    return ParseTask(SourceFile(path, 0), text.encode(), "odd", "r", "f", 800)


def outcome(result: object) -> object:
    if isinstance(result, ParsedDocument):
        return result.built.document.path
    return (result.path, result.reason) if isinstance(result, SourceProblem) else result


def parse(*tasks: object, workers: int = 2) -> list[object]:
    with ParserPool(load, LIMITS, workers) as pool:
        return [outcome(one) for one in pool.parse(tasks)]


def test_items_that_are_no_tasks_are_passed_on_in_their_place() -> None:
    problem = SourceProblem("b", "gone")
    assert parse(None, task("a"), problem, None, task("c")) == [
        *(None, "a", ("b", "gone"), None, "c")
    ]


def test_results_are_in_the_order_of_the_files_although_workers_end() -> None:
    tasks = [task(f"{n:03}", "die" if n % 30 == 5 else "fine") for n in range(100)]
    expected = [
        (f"{n:03}", "parser crashed: exit code 7") if n % 30 == 5 else f"{n:03}" for n in range(100)
    ]
    assert parse(*tasks, workers=3) == expected


def test_a_file_that_fails_after_others_is_tried_by_a_new_worker() -> None:
    assert parse(task("a"), task("b", "only first"), task("c")) == ["a", "b", "c"]


def test_memory_that_earlier_files_hold_does_not_decide() -> None:
    assert parse(task("a", "hold"), task("b", "need"), task("c", "need")) == ["a", "b", "c"]


def test_files_are_requested_only_a_few_batches_ahead() -> None:
    requested = 0

    def tasks() -> Iterator[ParseTask]:
        nonlocal requested
        for number in range(2_000):
            requested += 1
            yield task(str(number))

    with ParserPool(load, LIMITS, 1) as pool:
        results = pool.parse(tasks())
        next(results)
        assert requested <= 4 * pool_module.BATCH_FILES


def test_a_pool_that_is_left_early_ends_its_workers() -> None:
    with ParserPool(load, LIMITS, 1) as pool:
        assert outcome(next(pool.parse([task("a"), task("b", "loop")]))) == "a"
    assert not [one for one in threading.enumerate() if one.name.startswith("parser")]


def test_a_request_that_is_cancelled_waits_for_no_parser() -> None:
    deadline = Deadline()
    threading.Timer(0.5, deadline.cancel).start()
    with deadline_scope(deadline), pytest.raises(Cancelled), ParserPool(load, LIMITS) as pool:
        list(pool.parse([task("a", "loop")]))


def test_a_worker_that_cannot_start_is_an_error() -> None:
    message = r"could be started with .*: parser crashed: exit code 9"
    with pytest.raises(ParserError, match=message), ParserPool(fail_to_load, LIMITS) as pool:
        list(pool.parse([task("a")]))


def test_an_idle_worker_serves_the_next_pool_with_the_same_settings() -> None:
    assert parse(task("a")) == ["a"]
    settings = WorkerSettings(load, LIMITS)
    kept = SPARE.take(settings)
    assert kept is not None
    assert kept.answered == 1
    SPARE.keep(kept)
    assert SPARE.take(WorkerSettings(partial(load), LIMITS)) is None
    os.kill(kept.pid, signal.SIGKILL)
    assert parse(task("b")) == ["b"]


def test_an_idle_worker_ends_after_a_while() -> None:
    parse(task("a"))
    kept = SPARE.take(WorkerSettings(load, LIMITS))
    assert kept is not None
    SpareWorker(seconds=0.05).keep(kept)
    until = time.monotonic() + 60
    while kept.is_alive():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_result_for_another_file_is_refused() -> None:
    requested, other = (
        ParseTask(SourceFile(path, 0), b"x", "text", "r", "f", 800) for path in ("a.txt", "b.txt")
    )
    reply = encode_result(parse_file(other, SHIPPED))
    assert outcome(read_reply(requested, reply)) == (
        *("a.txt", "parser crashed: a result has nodes of another file"),
    )


def test_the_number_of_workers_comes_from_the_cores() -> None:
    assert count_workers(3) == 3
    assert 1 <= count_workers(0) <= pool_module.MAX_WORKERS
