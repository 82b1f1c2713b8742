"""A watcher on a real store, a real folder and a real git repository, in this process."""

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from watchfiles import watch

from docgraph.adapters.sources import digest_memory
from docgraph.adapters.sources.folder import FolderSource
from docgraph.adapters.sources.watched_folder import WatchedFolder
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.inputs import access_options
from docgraph.interfaces.watch.events import WatchEvent
from docgraph.interfaces.watch.folder_ingest import IngestTurns, WatchTask, ingest_folder
from docgraph.interfaces.watch.ingest_guard import IngestGuard
from docgraph.interfaces.watch.watcher import Watcher
from docgraph.model.access import LOCAL
from docgraph.model.errors import BadInput, Cancelled, SourceChanged, WrongSource
from docgraph.model.snapshot import SnapshotSelector, SourceLocation
from docgraph.ports.source import SourceFile, SourceProblem
from docgraph.ports.watching import CheckoutState, WatchOptions
from tests.support.engines import make_engine
from tests.support.git_repository import GitRepository

PATIENCE = 120.0


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return make_engine(SqliteStore(tmp_path / "store.db", now=lambda: "now"))


@pytest.fixture
def git(tmp_path: Path) -> GitRepository:
    """`main` has a.md and b.md, `feature` has other texts in both."""
    found = GitRepository(tmp_path / "work")
    found.commit({"a.md": "# Apples\n", "b.md": "# Bananas\n"})
    found.git("checkout", "--quiet", "-b", "feature")
    found.commit({"a.md": "# Almonds\n", "b.md": "# Berries\n"})
    found.git("checkout", "--quiet", "main")
    return found


def task(folder: Path) -> WatchTask:
    watched = WatchedFolder(folder, WatchOptions(repository="r"))
    location = SourceLocation(str(folder.resolve()))
    return WatchTask(watched, local(), access_options(LOCAL, (), (), 0), location)


@dataclass(slots=True)
class WatchRun:
    watcher: Watcher
    events: "queue.Queue[WatchEvent]" = field(default_factory=queue.Queue)

    def until(self, event: str) -> WatchEvent:
        while (found := self.events.get(timeout=PATIENCE)).event != event:
            pass
        return found


@contextmanager
def watching(engine: Engine, *tasks: WatchTask) -> Iterator[WatchRun]:
    events: queue.Queue[WatchEvent] = queue.Queue()
    watcher = Watcher(engine.content, tasks, events.put, lambda _: None)
    watcher.start()
    try:
        yield WatchRun(watcher, events)
    finally:
        assert watcher.stop(PATIENCE)
    assert watcher.failure is None


def texts(engine: Engine, branch: str) -> list[str]:
    scope = (SnapshotSelector("r", branch),)
    nodes = engine.questions.nodes(local(), ("r:a.md", "r:b.md"), scope=scope)
    return [(node.text or "").strip() for node in nodes]


def at_first_read(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Between the listing of files and the reading of the first."""
    left, read = [act], FolderSource.read

    def reading(self: FolderSource, file: SourceFile) -> bytes | SourceProblem:
        if left:
            left.pop()()
        return read(self, file)

    monkeypatch.setattr(FolderSource, "read", reading)


def test_a_switch_during_an_ingest_publishes_nothing_and_is_ingested_again(
    engine: Engine, git: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_first_read(monkeypatch, lambda: git.git("checkout", "--quiet", "feature"))
    with watching(engine, task(git.folder)) as watch:
        assert watch.until("published").branch == "feature"
    assert {one.name.branch for one in engine.content.snapshots(local())} == {"feature"}
    assert texts(engine, "feature") == ["# Almonds", "# Berries"]


def test_an_ingest_of_an_old_mark_is_refused_when_it_commits(
    engine: Engine, git: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = task(git.folder)
    before = one.source.state()
    at_first_read(monkeypatch, lambda: git.git("checkout", "--quiet", "feature"))
    with pytest.raises(SourceChanged, match="git wrote files during the ingest"):
        ingest_folder(engine.content, one, before, IngestTurns())
    assert engine.content.snapshots(local()) == ()


def test_while_git_holds_its_lock_nothing_is_ingested_until_files_rest(
    engine: Engine, git: GitRepository
) -> None:
    """An editor for a commit's message keeps the lock for as long as it likes."""
    lock = git.folder / ".git" / "index.lock"
    lock.touch()
    with watching(engine, task(git.folder)) as watch:
        assert watch.until("published").branch == "main"
        assert lock.exists()


def test_several_branches_of_one_folder_are_one_source_and_other_folders_are_not(
    engine: Engine, git: GitRepository, tmp_path: Path
) -> None:
    one = task(git.folder)
    for branch in ("main", "feature"):
        git.git("checkout", "--quiet", branch)
        ingest_folder(engine.content, one, one.source.state(), IngestTurns())
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# Other\n", encoding="utf-8")
    with pytest.raises(WrongSource):
        ingest_folder(engine.content, task(other), CheckoutState("feature"), IngestTurns())


def test_files_that_did_not_change_are_read_once(
    engine: Engine, git: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest_memory, "COARSEST_SECONDS", -60.0)  # all files are old enough
    reads: list[str] = []
    read = FolderSource.read

    def counting(self: FolderSource, file: SourceFile) -> bytes | SourceProblem:
        reads.append(file.path)
        return read(self, file)

    monkeypatch.setattr(FolderSource, "read", counting)
    with watching(engine, task(git.folder)) as watch:
        watch.until("published")
        git.write({"c.md": "# Cherries\n"})
        watch.until("published")
        git.write({"a.md": "# Avocados\n"})
        watch.until("published")
    assert sorted(reads) == ["a.md", "a.md", "b.md", "c.md"]


def test_a_watcher_that_ends_cancels_its_ingest_and_begins_no_other(
    engine: Engine, git: GitRepository
) -> None:
    turns, one = IngestTurns(), task(git.folder)
    turns.stop()
    with pytest.raises(Cancelled):
        ingest_folder(engine.content, one, one.source.state(), turns)
    assert engine.content.snapshots(local()) == ()


def test_an_error_that_watching_cannot_go_on_after_ends_all_of_it(
    engine: Engine, git: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> object:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", fail)
    watcher = Watcher(engine.content, (task(git.folder),), lambda _: None, lambda _: None)
    watcher.start()
    assert watcher.wait(PATIENCE)
    assert watcher.stop(PATIENCE)
    assert isinstance(watcher.failure, BadInput)
    assert "raise fs.inotify.max_user_watches" in str(watcher.failure)


def test_events_that_were_lost_are_made_up_for(
    engine: Engine, git: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error inside of the library: the folder is watched anew, and ingested at once."""
    calls: list[object] = []

    def failing(*paths: str, **options: object) -> Iterator[object]:
        calls.append(paths)
        if len(calls) == 1:
            git.write({"c.md": "# Cherries\n"})
            raise RuntimeError("error in underlying watcher")
        return watch(*paths, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("watchfiles.watch", failing)
    with watching(engine, task(git.folder)) as run:
        found = run.until("published").result
        assert found is not None
        assert found.added == 3
        git.write({"d.md": "# Dates\n"})
        run.until("published")
    assert len(calls) == 2


def test_a_folder_that_is_replaced_by_another_is_followed(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.md").write_text("# Apples\n", encoding="utf-8")
    with watching(engine, task(folder)) as run:
        run.until("published")
        folder.rename(tmp_path / "old")
        folder.mkdir()
        (folder / "b.md").write_text("# Bananas\n", encoding="utf-8")
        run.until("gone")
        run.until("back")
        found = run.until("published").result
        assert found is not None
        assert (found.added, found.removed) == (1, 1)


def test_a_cancelled_ingest_does_not_commit_and_a_commit_does_not_prevent_cancelling() -> None:
    """An ingest may publish several snapshots."""
    guard = IngestGuard(lambda: True)
    guard.begin_commit()
    guard.cancel()
    with pytest.raises(Cancelled):
        guard.begin_commit()
