"""`docgraph watch` in a process of its own, on real files: what is saved is in the next answer."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.http_server import embeddings, run_in, settings_file
from tests.support.scripted_server import serve_script
from tests.support.watching import Event, cpu_ticks, watching


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with settings; the files to watch are in `notes`."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Apples\n\nApples are red.\n", encoding="utf-8")
    with serve_script(embeddings) as server:
        settings_file(tmp_path, server.base)
        yield tmp_path


def write(place: Path, name: str, text: str) -> None:
    file = place / "notes" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def context(place: Path, question: str, *words: str) -> str:
    found: str = json.loads(run_in(place, "context", question, "--json", *words))["context"]["text"]
    return found


def documents(event: Event) -> int:
    result = event["result"]
    return int(result["added"] + result["changed"] + result["unchanged"])


@pytest.mark.requirement(56)
def test_what_is_saved_renamed_and_removed_is_in_the_next_answer(place: Path) -> None:
    with watching(place, "notes") as watch:
        assert watch.until("published")["result"]["added"] == 1
        write(place, "a.md", "# Apples\n\nApples are green.\n")
        assert watch.until("published")["result"]["changed"] == 1
        assert "green" in context(place, "Which colour are apples?")
        (place / "notes" / "a.md").rename(place / "notes" / "b.md")
        renamed = watch.until("published", where=lambda event: bool(event["result"]["renamed"]))
        assert renamed["result"]["renamed"] == [{"old": "a.md", "new": "b.md"}]
        write(place, "deep/new/c.md", "# Pears\n")
        watch.until("published", where=lambda event: documents(event) == 2)
        (place / "notes" / "b.md").unlink()
        watch.until("published", where=lambda event: documents(event) == 1)
        assert "green" not in context(place, "Which colour are apples?")
        assert watch.end() == 0


def test_changes_are_ingested_in_batches(place: Path) -> None:
    with watching(place, "notes") as watch:
        watch.current()
        for number in range(200):
            write(place, f"n{number}.md", f"# Note {number}\n")
        watch.until("published", where=lambda event: documents(event) == 201)
        published = [event for event in watch.seen if event["event"] == "published"]
        assert len(published) < 50
        assert watch.end() == 0


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_code_0_and_one_line(place: Path, sign: signal.Signals) -> None:
    with watching(place, "notes") as watch:
        watch.current()
        assert watch.end(sign) == 0
        assert watch.until("stopped") == {"event": "stopped"}
        assert watch.log == ""


def test_a_lock_of_another_ingest_is_reported_once_and_awaited(place: Path) -> None:
    lock = FileLock(place / "store.db.ingest.lock", mode=0o600)
    with watching(place, "notes", DOCGRAPH_WAIT="0") as watch:
        watch.current()
        with lock:
            write(place, "b.md", "# Bananas\n")
            failed = watch.until("failed")
            assert failed["kind"] == "StoreBusy"
        assert watch.until("published")["result"]["added"] == 1
        assert [event["event"] for event in watch.seen].count("failed") == 1
        assert watch.end() == 0


def test_a_bad_file_is_reported_once_and_does_not_stop_the_rest(place: Path) -> None:
    write(place, "bad.ipynb", "{")
    with watching(place, "notes") as watch:
        assert [one["path"] for one in watch.until("published")["problems"]] == ["bad.ipynb"]
        write(place, "b.md", "# Bananas\n")
        published = watch.until("published")
        assert published["problems"] == []
        assert [one["path"] for one in published["result"]["problems"]] == ["bad.ipynb"]
        assert watch.end() == 0


def test_a_folder_that_is_gone_is_reported_and_followed_again_when_it_is_back(place: Path) -> None:
    with watching(place, "notes") as watch:
        watch.current()
        shutil.rmtree(place / "notes")
        watch.until("gone")
        assert "red" in context(place, "Which colour are apples?")  # nothing was removed
        write(place, "b.md", "# Bananas\n")
        watch.until("back")
        watch.until("published", where=lambda event: event["result"]["removed"] == 1)
        write(place, "c.md", "# Cherries\n")
        watch.until("published", where=lambda event: documents(event) == 2)
        assert watch.end() == 0


def test_several_paths_and_a_single_file_are_watched_by_one_process(place: Path) -> None:
    (place / "single").mkdir()
    (place / "single" / "one.md").write_text("# One\n", encoding="utf-8")
    with watching(place, "notes", "single/one.md") as watch:
        first = {watch.until("published")["repository"] for _ in range(2)}
        assert first == {"notes", "single"}
        (place / "single" / "new.md").write_text("# One\n\nchanged\n", encoding="utf-8")
        (place / "single" / "new.md").replace(place / "single" / "one.md")  # as editors save
        changed = watch.until("published")
        assert (changed["repository"], changed["result"]["changed"]) == ("single", 1)
        assert watch.end() == 0


def test_paths_that_would_fill_one_repository_are_refused(place: Path) -> None:
    (place / "other" / "notes").mkdir(parents=True)
    with watching(place, "notes", "other/notes") as watch:
        assert watch.process.wait(120) == 1
        assert "would both fill the repository 'notes'" in watch.rest()[0]["error"]["message"]


def test_polling_finds_changes_without_events_of_the_system(place: Path) -> None:
    with watching(place, "notes", "--polling") as watch:
        watch.current()
        write(place, "b.md", "# Bananas\n")
        assert watch.until("published")["result"]["added"] == 1
        assert watch.end() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_idle_watcher_uses_no_processor_time_to_speak_of(place: Path) -> None:
    """A loop without a pause would use one core; this counts a share of one, not a duration."""
    with watching(place, "notes") as watch:
        watch.current()
        time.sleep(2)  # what the ingest leaves running ends
        before, began = cpu_ticks(watch.process.pid), time.monotonic()
        time.sleep(4)
        used = (cpu_ticks(watch.process.pid) - before) / os.sysconf("SC_CLK_TCK")
        share = used / (time.monotonic() - began)
        assert share < 0.2
        assert watch.end() == 0


def test_the_store_inside_of_the_folder_is_no_change(place: Path) -> None:
    with watching(place, "notes", "--store", "notes/own.db") as watch:
        watch.current()
        write(place, "b.md", "# Bananas\n")
        watch.until("published")
        write(place, "c.md", "# Cherries\n")
        watch.until("published")
        assert watch.end() == 0
        watch.until("stopped")
        assert [event["event"] for event in watch.seen].count("unchanged") == 0
