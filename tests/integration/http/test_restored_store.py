"""A store that is restored from a backup under a running server: its rights count at once."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.http_server import (
    ServerProcess,
    create_key,
    embeddings,
    run_in,
    serve_in,
    settings_file,
)
from tests.support.scripted_server import serve_script

ASKED = {"question": "How long is the pause of the queue?"}


def copy_in_place(backup: Path, store: Path) -> None:
    """As `cp` does: the file keeps its inode."""
    shutil.copyfile(backup, store)


def copy_with_its_times(backup: Path, store: Path) -> None:
    """As `cp -p` does."""
    shutil.copy2(backup, store)


def rename_over(backup: Path, store: Path) -> None:
    """As `mv` of a copy does: another inode."""
    shutil.copyfile(backup, store.with_suffix(".new"))
    store.with_suffix(".new").replace(store)


def write_through_sqlite(backup: Path, store: Path) -> None:
    """As `sqlite3 store.db '.restore backup.db'` does: one transaction of the live database."""
    with closing(sqlite3.connect(backup)) as source, closing(sqlite3.connect(store)) as target:
        source.backup(target)


WAYS = (copy_in_place, copy_with_its_times, rename_over, write_through_sqlite)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("queue", "worker", "lane"):
        (notes / f"{name}.md").write_text(f"# The {name}\n\nIts pause is 30 seconds.\n")
    with serve_script(embeddings) as models:
        settings_file(tmp_path, models.base, "login: {keys: true}\n")
        run_in(tmp_path, "ingest", "notes", "--repository", "notes")
        yield tmp_path


def seen(server: ServerProcess, key: str) -> list[str]:
    answer = server.client.post(
        "/v1/search", json=ASKED, headers={"Authorization": f"Bearer {key}"}
    )
    found: dict[str, Any] = answer.json()
    assert answer.status_code == 200, found
    return sorted(one["id"] for one in found["seeds"]["ranked"])


def save(store: Path, backup: Path) -> None:
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(backup)) as target:
        source.backup(target)


@pytest.mark.requirement(37)
@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("restore", WAYS)
def test_a_restored_store_does_not_bring_back_what_a_lost_change_allowed(
    folder: Path, restore: Callable[[Path, Path], None], changed: bool
) -> None:
    """Also where as many changes followed the backup as were lost."""
    key = create_key(folder, "ann", "local")
    run_in(folder, "access", "revoke", "worker.md", "--repository", "notes")
    store, backup = folder / "store.db", folder / "backup.db"
    with serve_in(folder) as server:
        server.ready()
        assert seen(server, key) == ["notes:lane.md", "notes:queue.md"]
        save(store, backup)
        run_in(folder, "access", "reset", "worker.md", "--repository", "notes")
        assert "notes:worker.md" in seen(server, key)
        restore(backup, store)
        if changed:
            run_in(folder, "access", "revoke", "lane.md", "--repository", "notes")
        left = ["notes:queue.md"] if changed else ["notes:lane.md", "notes:queue.md"]
        assert seen(server, key) == left
        server.process.kill()
    with serve_in(folder) as server:
        assert seen(server.ready(), key) == left
    assert "notes:worker.md" not in run_in(folder, "search", "the pause", "--as", "ann")


@pytest.mark.parametrize("restore", WAYS)
def test_a_key_that_a_backup_does_not_have_is_refused(
    folder: Path, restore: Callable[[Path, Path], None]
) -> None:
    first = create_key(folder, "ann", "local")
    store, backup = folder / "store.db.server", folder / "backup.server"
    with serve_in(folder) as server:
        server.ready()
        assert seen(server, first)
        save(store, backup)
        second = create_key(folder, "ann", "local")
        assert seen(server, second)
        restore(backup, store)
        refused = server.client.post(
            "/v1/search", json=ASKED, headers={"Authorization": f"Bearer {second}"}
        )
        assert refused.status_code == 401
        assert seen(server, first)
