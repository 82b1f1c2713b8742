"""The git program, kept from running anything that a repository configures."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from docgraph.model.errors import BadInput

# A repository is a stranger's: its configuration, its hooks and its remotes must start nothing.
_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",  # a blob's id must name its own bytes
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "safe.bareRepository=all"),  # a path that was named is no chance find
)
_SURROUNDINGS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What git said; `errors` is empty when it did as it was asked, and never otherwise."""

    output: bytes
    errors: str

    @property
    def line(self) -> str:
        return self.output.decode("utf-8", "surrogateescape").removesuffix("\n")


class Git:
    """git in a folder; with `git_dir`, on exactly that repository."""

    def __init__(self, folder: Path, git_dir: Path | None = None) -> None:
        self._folder = folder
        where = () if git_dir is None else ("--git-dir", str(git_dir))
        self._command = (_program(), *_OPTIONS, *where)

    def ask(self, *arguments: str) -> Reply:
        process = self.start(*arguments, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        output, errors = process.communicate()
        return Reply(output, last_words(process, errors) if process.returncode else "")

    def start(
        self, *arguments: str, stdin: int, stderr: int | IO[bytes]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603  the program is git, and no shell reads the arguments
            [*self._command, *arguments],
            cwd=self._folder,
            env=_environment(os.environ),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )


def last_words(process: subprocess.Popen[bytes], errors: bytes) -> str:
    """In one line, as every error of docgraph's is."""
    told = re.sub(r"\s*\n\s*", " ", errors.decode("utf-8", "replace").strip())
    return told or f"git ended with exit code {process.returncode}"


def _program() -> str:
    found = shutil.which("git")
    if found is None:
        raise BadInput("reading a git repository needs the git program, and PATH leads to none")
    return str(Path(found).absolute())


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """Without what points git elsewhere, as the variables do that a hook is started with."""
    kept = {
        name: value
        for name, value in given.items()
        if not name.startswith("GIT_") or name == "GIT_CONFIG_GLOBAL"  # whom its user trusts
    }
    return kept | _SURROUNDINGS
