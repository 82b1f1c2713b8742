"""Rows come into the audit log from everywhere at once; none is lost or waits for a reader."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

from docgraph.adapters.sqlite.audit import SqliteAudit
from docgraph.model.audit import AuditVerdict
from docgraph.model.audit_chain import SEAL_EVERY
from docgraph.model.errors import StoreBusy
from tests.support.audit_logs import EVENT, fill, log_on

WRITES = """
import sys
from pathlib import Path
from docgraph.adapters.sqlite.audit import SqliteAudit
from docgraph.model.audit import AuditEvent
log = SqliteAudit(Path(sys.argv[1]), now=lambda: "now")
for number in range(int(sys.argv[3])):
    log.write(AuditEvent("t", sys.argv[2], "", "context", "answered", "", (), str(number)))
"""
IS_KILLED = WRITES + "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
FORKS = (
    WRITES
    + """
import os
heard, said = os.pipe()
child = os.fork()
if not child:
    os.read(heard, 1)
for number in range(30):
    who = "parent" if child else "child"
    log.write(AuditEvent("t", who, "", "context", "answered", "", (), str(number)))
if not child:
    os._exit(0)
log.close()
os.write(said, b"now")
assert os.waitpid(child, 0)[1] == 0
"""
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db.audit"


@pytest.fixture
def log(path: Path) -> SqliteAudit:
    return log_on(path)


@pytest.mark.requirement(40)
def test_threads_and_processes_write_at_once_and_no_row_is_lost(
    log: SqliteAudit, path: Path
) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", WRITES, str(path), f"process {number}", "120"])
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


def test_threads_that_share_a_log_take_turns(path: Path) -> None:
    def slowly() -> str:
        time.sleep(0.002)
        return "now"

    log = SqliteAudit(path, now=slowly)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(fill, log, 5) for _ in range(4)]:
            done.result()
    assert log.verify("t") == AuditVerdict(20, 0, ())


def test_several_who_find_no_log_make_one_together(path: Path) -> None:
    with ThreadPoolExecutor(4) as pool, FileLock(f"{path}.lock"):
        begun = [pool.submit(log_on(path).write, EVENT) for _ in range(4)]
        time.sleep(0.2)
        assert not path.exists()
    for done in begun:
        done.result()
    assert log_on(path).verify("t") == AuditVerdict(4, 0, ())


@pytest.mark.requirement(40)
def test_writing_waits_for_no_reader(log: SqliteAudit, path: Path) -> None:
    fill(log, 3)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM entries").fetchone()
        began = time.perf_counter()
        fill(log_on(path, wait=0), SEAL_EVERY)
        assert time.perf_counter() - began < 5
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == before
    assert log.verify("t").rows == SEAL_EVERY + 3


def test_a_row_waits_for_another_writer_and_says_so_when_it_waits_in_vain(
    log: SqliteAudit, path: Path
) -> None:
    log.write(EVENT)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with closing(other):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="another process is writing"):
            log_on(path, wait=0.05).write(EVENT)
        freed = threading.Timer(0.2, other.rollback)
        freed.start()
        log.write(EVENT)
        freed.join()
    assert log.verify("t").rows == 2


def test_a_row_that_fails_leaves_no_trace_and_the_next_one_fits(log: SqliteAudit) -> None:
    log.write(EVENT)
    with pytest.raises(sqlite3.IntegrityError):
        log.write(replace(EVENT, outcome="maybe"))
    log.write(EVENT)
    assert log.verify("t") == AuditVerdict(2, 0, ())


@pytest.mark.requirement(40)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_killed_process_leaves_every_row_it_wrote(log: SqliteAudit, path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", IS_KILLED, str(path), "ann", "130"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert log.verify("t") == AuditVerdict(130, 100, ())
    log.write(EVENT)
    assert log.entries("t", last=1)[0].number == 131


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_forks_goes_on_writing_on_both_sides(log: SqliteAudit, path: Path) -> None:
    """In a process of its own, since this one has threads."""
    command = [sys.executable, "-c", FORKS, str(path), "before", "10"]
    subprocess.run(command, check=True, timeout=60)
    assert log.verify("t") == AuditVerdict(70, 0, ())
    assert len(log.entries("t", principal="child")) == 30
