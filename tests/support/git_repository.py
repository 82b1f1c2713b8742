"""A real git repository, made by the git program with nobody's settings but its own."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_WHO = {"NAME": "Nobody", "EMAIL": "nobody@example.org", "DATE": "2024-01-01T00:00:00Z"}
_SURROUNDINGS = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C",
    **{f"GIT_{role}_{key}": _WHO[key] for role in ("AUTHOR", "COMMITTER") for key in _WHO},
}


class GitRepository:
    """The same commands give the same commit ids on every machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str, input: bytes = b"") -> str:  # noqa: A002
        command = ["git", *words]
        run = subprocess.run(
            command,
            cwd=self.folder,
            env=_SURROUNDINGS,
            input=input,
            capture_output=True,
            check=True,
        )
        return run.stdout.decode().strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for path, text in files.items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode() if isinstance(text, str) else text)

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> str:
        """Everything that lies there now; the id of the commit."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "as it is now")
        return self.git("rev-parse", "HEAD")
