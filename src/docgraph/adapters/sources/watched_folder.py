"""A folder or a single file that is watched, with watchfiles."""

import logging
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

from docgraph.adapters.sources.checkout import open_checkout
from docgraph.adapters.sources.digest_memory import DigestMemory
from docgraph.adapters.sources.folder import DEFAULT_BRANCH, FolderSource
from docgraph.adapters.sources.watched_paths import read_paths
from docgraph.model.access_policy import SOURCE as RULES
from docgraph.model.errors import BadInput
from docgraph.ports.source import OpenedSource
from docgraph.ports.watching import CheckoutState, WatchOptions
from docgraph.ports.writes import SourceRevision

_LOG = logging.getLogger("docgraph.watch")
STEP = 50  # milliseconds without a change that end a batch
OLDEST = 1_000  # milliseconds after which a batch ends anyway
TICK = 250  # milliseconds between two empty batches
POLL_EVERY = 1_000  # milliseconds between two listings, where the system reports no events
# More changes are not looked at one by one: some of them count.
MANY = 2_000


class WatchedFolder:
    """Digests of its files are kept in memory, so that an ingest reads only what has changed."""

    def __init__(self, path: Path, options: WatchOptions) -> None:
        if not path.exists():
            raise BadInput(f"{path}: there is no such file or folder")
        self.path = str(path)
        self.repository = options.repository or ""
        self._real = path.resolve()
        self._root = self._real if self._real.is_dir() else self._real.parent
        self._single = None if self._real.is_dir() else self._real.name
        self._options = options
        self._memory = DigestMemory()
        self._checkout = open_checkout(self._root)
        self._identity = _identity(self._root)

    def events(self, stop: threading.Event) -> Iterator[frozenset[str]]:
        """Of the folder that lies there now. Where they end by themselves, they can begin again."""
        from watchfiles import watch

        self._identity = _identity(self._root)
        try:
            for changes in watch(
                *self._watched(),
                watch_filter=None,
                debounce=OLDEST,
                step=STEP,
                stop_event=stop,
                rust_timeout=TICK,
                yield_on_timeout=True,
                debug=False,
                raise_interrupt=False,
                force_polling=self._options.polling,
                poll_delay_ms=POLL_EVERY,
                recursive=self._single is None,
                ignore_permission_denied=True,
            ):
                yield frozenset(path for _, path in changes)
        except FileNotFoundError:
            return  # gone since
        except RuntimeError as error:
            _LOG.warning("%s: watched anew, since events were lost: %s", self.path, error)
        except OSError as error:
            raise BadInput(
                f"{self.path}: cannot be watched: {error.strerror or error}; on Linux, raise "
                "fs.inotify.max_user_watches, or list the files again and again with --polling"
            ) from error

    def concerns(self, paths: Collection[str]) -> bool:
        if self._checkout is not None and any(map(self._checkout.is_head, paths)):
            return True
        if len(paths) > MANY:
            return True
        found = set(read_paths(self._root, paths, self._options.store))
        if self._single is not None:
            found = {one for one in found if Path(one).name in (self._single, RULES)}
        self._memory.forget(Path(one).relative_to(self._root).as_posix() for one in found)
        return bool(self._without_ignored(found))

    def exists(self) -> bool:
        return _identity(self._root) is not None

    def is_same(self) -> bool:
        return _identity(self._root) == self._identity

    def state(self) -> CheckoutState:
        """With a branch of the caller's, that one, whatever git has checked out."""
        if self._checkout is None:
            return CheckoutState(self._options.branch or DEFAULT_BRANCH)
        found = self._checkout.state()
        chosen = self._options.branch or found.branch
        return CheckoutState(chosen, found.mark, found.busy)

    def has_mark(self, state: CheckoutState) -> bool:
        return self._checkout is None or self._checkout.mark() == state.mark

    def open(self, branch: str) -> OpenedSource:
        source = FolderSource(self._real, self._options.max_bytes, memory=self._memory)
        return OpenedSource(source, self.repository, branch, SourceRevision())

    def _watched(self) -> tuple[str, ...]:
        """Git keeps HEAD elsewhere where the folder is a part of a work tree, or a linked one."""
        checkout = self._checkout
        if checkout is None or checkout.git_folder.is_relative_to(self._root):
            return (str(self._root),)
        return (str(self._root), str(checkout.git_folder))

    def _without_ignored(self, paths: set[str]) -> set[str]:
        if self._checkout is None or not paths:
            return paths
        try:
            return self._checkout.without_ignored(paths)
        except BadInput as error:
            _LOG.info("%s: %s", self.path, error)
            return paths


def _identity(folder: Path) -> tuple[int, int] | None:
    """None where there is no such folder."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
