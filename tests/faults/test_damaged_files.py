"""A damaged SQLite store gives no traceback, and `verify` finds all that changes an answer."""

import json
import logging
import random
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.damaged_files import (
    ANSWERS,
    AUDIT,
    KEYS,
    QUESTION,
    SERVER,
    STORE,
    TRAIL,
    DamagedFiles,
    Findings,
    changed_pages,
    flip,
    quick_commands,
)
from tests.support.http_app import ingest_notes, open_app, settings_of

SEED = ("context", "--seed", "notes:queue.md")
SHARES = 4
MORE, THOROUGH = 40, 4_000  # flips beside those in each kind of page


def run_process(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """As a user runs it."""
    command = [sys.executable, "-m", "docgraph.interfaces.cli.main", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DamagedFiles]:
    with quick_commands():
        yield DamagedFiles(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("share", range(SHARES))
def test_a_flipped_byte_gives_no_traceback_and_changes_no_answer_unnoticed(
    store: DamagedFiles, share: int, thorough: bool
) -> None:
    flips = store.flips(STORE, random.Random(1), more=THOROUGH if thorough else MORE)
    own = [one for at, one in enumerate(flips) if at % SHARES == share]
    findings = store.look(own[::3])
    reading = store.look([one for at, one in enumerate(own) if at % 3], changes=False)
    assert (findings.wrong, reading.wrong) == ([], [])
    assert findings.found + reading.found > len(own) / 3


def test_lost_and_misplaced_pages_give_no_traceback_and_change_no_answer_unnoticed(
    store: DamagedFiles,
) -> None:
    changes = list(changed_pages(store.files, random.Random(2)))
    findings = store.look(changes)
    assert findings.wrong == []
    assert findings.found > len(changes) / 2


@pytest.mark.parametrize(
    ("file", "answers"), [(SERVER, KEYS), (AUDIT, (*TRAIL, ANSWERS[0]))], ids=["server", "audit"]
)
def test_the_files_beside_the_store_are_checked_as_well(
    tmp_path: Path, file: str, answers: tuple[tuple[str, ...], ...], thorough: bool
) -> None:
    with quick_commands():
        files = DamagedFiles(tmp_path, answers)
        flips = files.flips(file, random.Random(3), more=THOROUGH // 4 if thorough else 10)
        findings = files.look(flips, changes=False)
    assert findings.wrong == []
    assert findings.found > 10


def test_the_harness_finds_a_change_that_verify_does_not(
    store: DamagedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no checksum is compared, a changed text is an answer that nobody notices."""
    place = store.files[STORE].index(b"Uploads wait here")
    damage = flip(STORE, store.files[STORE], place, 32)
    assert store.look([damage], changes=False) == Findings(found=1)
    monkeypatch.setattr("docgraph.adapters.sql.verify.checksum_problems", lambda _: ())
    assert len(store.look([damage], changes=False).unnoticed) == 1


def test_a_command_prints_one_line_that_says_what_to_do(store: DamagedFiles) -> None:
    data = store.files[STORE]
    with closing(sqlite3.connect(store.path(STORE))) as connection:
        texts = [text for (text,) in connection.execute("SELECT text FROM contents")]
    pause = next(text for text in texts if b"The pause is 60" in zlib.decompress(text))
    places = (
        data.index(pause) + len(pause) // 2,
        data.index(b'"identifiers"'),
        data.index(b"CREATE TABLE"),
    )
    for place in places:
        store.restore()
        store.path(STORE).write_bytes(flip(STORE, data, place, 0x80).data)
        verified = run_process(store.folder, "verify")
        assert verified.returncode == 1, place
        shown = [run_process(store.folder, "status"), run_process(store.folder, *SEED)]
        for done in shown:
            assert "Traceback" not in done.stdout + done.stderr
            if done.returncode:
                (line,) = done.stderr.splitlines()
                assert f"{STORE}: this store is damaged: " in line
                assert line.endswith("; restore it from a backup, or ingest into a new one")
        assert any(done.returncode == 1 for done in shown), place


def test_a_damaged_store_is_a_problem_without_internals_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_of(tmp_path)
    with open_app(settings) as app:
        ingest_notes(app.state)
    file = tmp_path / "store.db"
    data = file.read_bytes()
    file.write_bytes(flip("", data, data.index(b"Uploads wait here"), 0x80).data)
    with open_app(settings) as app, caplog.at_level(logging.WARNING, "docgraph.http"):
        said = app.post("/v1/retrieve", {"question": QUESTION})
        status = app.client.get("/v1/status")
    problem = said.json()
    assert (said.status_code, status.status_code) == (500, 200)
    assert said.headers["Content-Type"] == "application/problem+json"
    assert problem["detail"] == "the store is damaged; its operator has to restore it"
    assert str(tmp_path) not in said.text
    assert "UTF-8" not in said.text
    (record,) = [one for one in caplog.records if problem["request_id"] in one.getMessage()]
    assert "DamagedStore" in record.getMessage()
    assert "store.db: this store is damaged: a text is not UTF-8" in record.getMessage()


def test_an_intact_store_with_other_bytes_is_not_damaged(store: DamagedFiles) -> None:
    """Free pages, and the count of changes in the header, mean nothing."""
    store.restore()
    assert store.look([flip(STORE, store.files[STORE], 27, 1)], changes=False) == Findings()


def test_json_names_the_kind_of_the_error(store: DamagedFiles) -> None:
    data = store.files[STORE]
    store.restore()
    store.path(STORE).write_bytes(flip(STORE, data, data.index(b'"identifiers"'), 1).data)
    code, output = store.run("status")
    assert (code, json.loads(output)["error"]["kind"]) == (1, "DamagedStore")
