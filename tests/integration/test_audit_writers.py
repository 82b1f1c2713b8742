"""Rows come into the audit log from everywhere at once; none is lost or waits for a reader."""

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from docgraph.model.audit import ROWS_PER_SEAL, AuditVerdict
from docgraph.model.errors import DamagedStore, StoreBusy
from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import EVENT, AuditStorage, SqliteAuditStorage, fill, ticks

WRITES = """
from docgraph.model.audit import AuditEvent
for number in range(int(sys.argv[3])):
    log.write(AuditEvent("t", sys.argv[2], "", "context", "succeeded", "", (), str(number)))
"""
IS_KILLED = WRITES + "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
FORKS = (
    WRITES
    + """
import os
readable, writable = os.pipe()
child = os.fork()
if not child:
    os.read(readable, 1)
for number in range(30):
    who = "parent" if child else "child"
    log.write(AuditEvent("t", who, "", "context", "succeeded", "", (), str(number)))
if not child:
    os._exit(0)
close_log()
os.write(writable, b"now")
assert os.waitpid(child, 0)[1] == 0
"""
)


@pytest.mark.requirement(40)
def test_threads_and_processes_write_at_once_and_no_row_is_lost(
    log: AuditLog, place: AuditStorage
) -> None:
    started = [
        subprocess.Popen([*place.program(WRITES), f"process {number}", "120"])
        for number in range(3)
    ]
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(fill, log, 60) for _ in range(4)]:
            done.result()
    assert [process.wait(60) for process in started] == [0, 0, 0]
    rows = log.entries("t")
    assert [row.number for row in rows] == list(range(1, 601))
    for number in range(3):
        own = [row.event.detail for row in rows if row.event.principal == f"process {number}"]
        assert own == [str(row) for row in range(120)]
    assert log.verify("t") == AuditVerdict(600, 600, ())


def test_times_stand_in_the_rows_order(place: AuditStorage) -> None:
    """Who shares a log takes turns, and who shares the rows; the clock is slow to read."""
    clock = ticks()

    def slowly() -> str:
        time.sleep(0.002)
        read = clock()
        time.sleep(0.002)
        return read

    logs = [place.log(now=slowly) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(fill, logs[number % 2], 5) for number in range(4)]:
            done.result()
    rows = logs[0].entries("t")
    assert [row.number for row in rows] == list(range(1, 21))
    assert [row.time for row in rows] == sorted(row.time for row in rows)
    assert logs[1].verify("t") == AuditVerdict(20, 0, ())


def test_several_who_find_no_log_make_one_together(tmp_path: Path) -> None:
    place = SqliteAuditStorage(tmp_path / "store.db.audit")
    with ThreadPoolExecutor(4) as pool, FileLock(f"{place.path}.lock"):
        begun = [pool.submit(place.log().write, EVENT) for _ in range(4)]
        time.sleep(0.2)
        assert not place.path.exists()
    for done in begun:
        done.result()
    assert place.log().verify("t") == AuditVerdict(4, 0, ())


@pytest.mark.requirement(40)
def test_writing_waits_for_no_reader(log: AuditLog, place: AuditStorage) -> None:
    fill(log, 3)
    with place.raw() as run:
        run("BEGIN")
        before = run("SELECT count(*) FROM entries").fetchall()
        fill(place.log(wait=0), ROWS_PER_SEAL)  # one that waited would be refused
        assert before == [(3,)]
    assert log.verify("t").rows == ROWS_PER_SEAL + 3


def test_a_row_waits_for_another_writer_and_says_so_when_it_waits_in_vain(
    log: AuditLog, place: AuditStorage
) -> None:
    log.write(EVENT)
    next_log, begun, go_on = place.log(now=lambda: "now"), threading.Event(), threading.Event()

    def late() -> str:
        begun.set()
        assert go_on.wait(30)
        return "late"

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(place.log(now=late).write, EVENT)
        assert begun.wait(30)
        with pytest.raises(StoreBusy, match="another process"):
            place.log(wait=0.05).write(EVENT)
        threading.Timer(0.2, go_on.set).start()
        next_log.write(EVENT)
        other.result()
    assert [row.time for row in log.entries("t", last=2)] == ["late", "now"]


def test_a_row_that_fails_leaves_no_trace_and_the_next_one_fits(
    log: AuditLog, place: AuditStorage
) -> None:
    log.write(EVENT)
    with pytest.raises((place.refusal, DamagedStore)):
        log.write(replace(EVENT, outcome="maybe"))
    log.write(EVENT)
    assert log.verify("t") == AuditVerdict(2, 0, ())


@pytest.mark.requirement(40)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_killed_process_leaves_every_row_it_wrote(log: AuditLog, place: AuditStorage) -> None:
    done = subprocess.run([*place.program(IS_KILLED), "ann", "130"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert log.verify("t") == AuditVerdict(130, 100, ())
    log.write(EVENT)
    assert log.entries("t", last=1)[0].number == 131


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_forks_goes_on_writing_on_both_sides(
    log: AuditLog, place: AuditStorage
) -> None:
    """In a process of its own, since this one has threads."""
    subprocess.run([*place.program(FORKS), "before", "10"], check=True, timeout=60)
    assert log.verify("t") == AuditVerdict(70, 0, ())
    assert len(log.entries("t", principal="child")) == 30
