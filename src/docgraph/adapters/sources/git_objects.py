"""Objects of a git repository, read through one long-lived process."""

import contextlib
import subprocess
import tempfile
import weakref
from dataclasses import dataclass
from functools import partial
from typing import IO

from docgraph.adapters.sources.git_process import Git, error_message, kill
from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import on_cancel

_BLOCK = 1 << 16
_NOTHING = ("missing", "ambiguous")
_FAILED_LINKS = ("symlink", "dangling", "loop", "notdir")


@dataclass(frozen=True, slots=True)
class GitObject:
    """`kind` is blob, tree or commit, or says why there is none: missing, symlink, dangling, …

    `symlink` is a link out of the tree. `body` is None also where it is over the limit.
    """

    kind: str
    id: str
    size: int
    body: bytes | None


_NONE = GitObject("missing", "", 0, None)


class GitObjects:
    """For one caller at a time; ends with `close`, or when it is garbage-collected."""

    def __init__(self, git: Git, limit: int) -> None:
        self._limit = limit
        # A pipe that nobody reads could fill up and block git.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by _close
        arguments = ("cat-file", "--batch", "--follow-symlinks")
        self._process = git.start(*arguments, stdin=subprocess.PIPE, stderr=self._errors)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self.close = weakref.finalize(self, _close, self._process, self._errors)

    def at(self, tree: str, path: str) -> GitObject:
        """Links are followed within the tree."""
        if "\n" in path or path.startswith(("./", "../")):
            return _NONE  # git would read it as two requests, or as a path from another folder
        return self.get(f"{tree}:{path}", path)

    def get(self, name: str, path: str) -> GitObject:
        """By id; `path` is for error messages."""
        with on_cancel(partial(kill, self._process)):
            return self._read(name, path)

    def _read(self, name: str, path: str) -> GitObject:
        try:
            self._requests.write(name.encode("utf-8", "surrogateescape") + b"\n")
            self._requests.flush()
        except BrokenPipeError:
            raise self._failure(path) from None
        words = self._replies.readline().decode("utf-8", "surrogateescape").split()
        if not words:
            raise self._failure(path)
        if words[-1] in _NOTHING:
            return _NONE
        if words[0] in _FAILED_LINKS:
            return GitObject(words[0], "", 0, self._body(int(words[1]), path))
        object_id, kind, size = words
        return GitObject(kind, object_id, int(size), self._body(int(size), path))

    def _body(self, size: int, path: str) -> bytes | None:
        """A body over the limit is skipped in blocks; a newline follows each body."""
        if size <= self._limit:
            body = self._replies.read(size + 1)
            if len(body) <= size:
                raise self._failure(path)
            return body[:-1]
        left = size + 1
        while left:
            skipped = len(self._replies.read(min(left, _BLOCK)))
            if not skipped:
                raise self._failure(path)
            left -= skipped
        return None

    def _failure(self, path: str) -> BadInput:
        kill(self._process)
        self._process.wait()
        self._errors.seek(0)
        message = error_message(self._process, self._errors.read(_BLOCK))
        remedy = "git fsck shows whether the repository is damaged"
        return BadInput(f"git stopped while it read {path}: {message}; {remedy}")


def _close(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    kill(process)
    for stream in (process.stdin, process.stdout, errors):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
    process.wait()
