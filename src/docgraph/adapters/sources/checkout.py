"""The branch that is checked out in a git work tree, and the paths that git ignores there."""

import subprocess
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from docgraph.adapters.sources.digest_memory import signature_of
from docgraph.adapters.sources.git_process import TIMEOUT, Git, error_message, kill
from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import on_cancel
from docgraph.ports.watching import CheckoutState

DETACHED = "HEAD"  # as git itself abbreviates a HEAD that is on no branch
_MAX_HEAD_BYTES = 4_096
_BRANCHES = "ref: refs/heads/"


def find_work_tree(folder: Path) -> Path | None:
    """The folder or the first one above it that has a `.git`, without asking git."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def head_branch(folder: Path) -> str | None:
    """The branch that is checked out where the folder lies, without asking git."""
    tree = find_work_tree(folder)
    if tree is None:
        return None
    own = tree / ".git"
    if own.is_file():
        own = tree / own.read_text("utf-8", "surrogateescape").removeprefix("gitdir: ").strip()
    head = _head(own / "HEAD").decode("utf-8", "surrogateescape").strip()
    return head.removeprefix(_BRANCHES) if head.startswith(_BRANCHES) else DETACHED


def open_checkout(folder: Path) -> "Checkout | None":
    """None for a folder in no work tree, and for one that git ignores: it belongs to no branch."""
    if find_work_tree(folder) is None:
        return None
    checkout = Checkout(folder)
    return checkout if checkout.without_ignored((str(folder),)) else None


class Checkout:
    """Of the work tree that `folder` lies in. Git runs nothing that the repository configures."""

    def __init__(self, folder: Path) -> None:
        self._git = Git(folder)
        self._ignores = Git(folder, literal=False)
        found = self._git.run("rev-parse", "--is-inside-work-tree", "--absolute-git-dir")
        inside, _, git_folder = found.line.partition("\n")
        if found.errors or inside != "true":
            reason = found.errors or "it is no work tree"
            raise BadInput(f"{folder}: git does not tell which branch is checked out: {reason}")
        self.git_folder = Path(git_folder)

    def state(self) -> CheckoutState:
        """The branch is read after the mark, so that an old mark never has a newer branch."""
        mark, busy = self.mark(), (self.git_folder / "index.lock").exists()
        branch = self._git.run("symbolic-ref", "--quiet", "--short", "HEAD")
        return CheckoutState(branch.line or DETACHED, mark, busy)

    def mark(self) -> tuple[object, ...]:
        """Git writes its index after it has written files, and then HEAD."""
        return (_head(self.git_folder / "HEAD"), _signature(self.git_folder / "index"))

    def is_head(self, path: str) -> bool:
        return path == str(self.git_folder / "HEAD")

    def without_ignored(self, paths: Iterable[str]) -> set[str]:
        """Of absolute paths, which git takes literally."""
        given = set(paths)
        asked = b"\0".join(one.encode("utf-8", "surrogateescape") for one in sorted(given))
        with self._ignores.start(
            "check-ignore", "-z", "--stdin", stdin=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            try:
                with on_cancel(partial(kill, process)):
                    output, errors = process.communicate(asked, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                raise BadInput(f"git did not answer within {TIMEOUT:g} seconds") from None
            finally:
                kill(process)
        if process.returncode not in (0, 1):
            raise BadInput(f"git does not tell what it ignores: {error_message(process, errors)}")
        names = output.decode("utf-8", "surrogateescape").split("\0")
        return given.difference(names)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_HEAD_BYTES)
    except FileNotFoundError:  # while git replaces it on some systems
        return b""


def _signature(path: Path) -> object:
    try:
        return signature_of(path.stat())
    except FileNotFoundError:  # before the first `git add`
        return None
