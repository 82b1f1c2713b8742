"""Objects of a git repository, one after the other out of one long-lived process."""

import contextlib
import subprocess
import tempfile
import weakref
from dataclasses import dataclass
from functools import partial
from typing import IO

from docgraph.adapters.sources.git_process import Git, end, last_words
from docgraph.model.errors import BadInput
from docgraph.ports.cancellation import on_cancel

_BLOCK = 1 << 16
_NOTHING = ("missing", "ambiguous")
_FAILED_LINKS = ("symlink", "dangling", "loop", "notdir")


@dataclass(frozen=True, slots=True)
class GitObject:
    """`kind` is blob, tree or commit, or says why there is none: missing, symlink, dangling, …

    `symlink` is a link that leads out of the tree. `body` is None also where it is over the limit.
    """

    kind: str
    id: str
    size: int
    body: bytes | None


_NONE = GitObject("missing", "", 0, None)


class GitObjects:
    """Asked by one caller at a time; ends with `close`, or when nobody holds it any more."""

    def __init__(self, git: Git, limit: int) -> None:
        self._limit = limit
        # A pipe that nobody reads could fill, and git would wait for ever.
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by _end
        arguments = ("cat-file", "--batch", "--follow-symlinks")
        self._process = git.start(*arguments, stdin=subprocess.PIPE, stderr=self._errors)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._questions, self._answers = self._process.stdin, self._process.stdout
        self.close = weakref.finalize(self, _end, self._process, self._errors)

    def at(self, tree: str, path: str) -> GitObject:
        """Links are followed within the tree."""
        if "\n" in path or path.startswith(("./", "../")):
            return _NONE  # git would take it for two questions, or for a path from elsewhere
        return self.get(f"{tree}:{path}", path)

    def get(self, name: str, path: str) -> GitObject:
        """By id; `path` tells people what it was wanted for."""
        with on_cancel(partial(end, self._process)):
            return self._answer(name, path)

    def _answer(self, name: str, path: str) -> GitObject:
        try:
            self._questions.write(name.encode("utf-8", "surrogateescape") + b"\n")
            self._questions.flush()
        except BrokenPipeError:
            raise self._died(path) from None
        words = self._answers.readline().decode("utf-8", "surrogateescape").split()
        if not words:
            raise self._died(path)
        if words[-1] in _NOTHING:
            return _NONE
        if words[0] in _FAILED_LINKS:
            return GitObject(words[0], "", 0, self._body(int(words[1]), path))
        object_id, kind, size = words
        return GitObject(kind, object_id, int(size), self._body(int(size), path))

    def _body(self, size: int, path: str) -> bytes | None:
        """What is over the limit is passed over in pieces; a newline follows each body."""
        if size <= self._limit:
            body = self._answers.read(size + 1)
            if len(body) <= size:
                raise self._died(path)
            return body[:-1]
        left = size + 1
        while left:
            passed = len(self._answers.read(min(left, _BLOCK)))
            if not passed:
                raise self._died(path)
            left -= passed
        return None

    def _died(self, path: str) -> BadInput:
        end(self._process)
        self._process.wait()
        self._errors.seek(0)
        told = last_words(self._process, self._errors.read(_BLOCK))
        remedy = "git fsck tells whether the repository is damaged"
        return BadInput(f"git stopped while it read {path}: {told}; {remedy}")


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    end(process)
    for stream in (process.stdin, process.stdout, errors):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()
    process.wait()
