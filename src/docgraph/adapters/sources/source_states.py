"""What each branch was ingested from: one file for each, in a folder beside the store."""

import json
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from docgraph.adapters.sources.digest_memory import Signature, signature_of
from docgraph.adapters.sources.folder import FolderSource, is_hidden
from docgraph.model.digest import canonical, digest
from docgraph.model.errors import BadInput
from docgraph.model.source_state import SourceState
from docgraph.ports.source import SourceFile
from docgraph.ports.source_states import BranchKey, IngestedSource

FORMAT = "docgraph.source-state/1"


class SourceStateFiles:
    """Only a hint: without a file, or with another format, the state is unknown. The paths in it
    are as secret as the store."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[BranchKey, tuple[Signature, Any]] = {}

    def record(self, key: BranchKey, source: IngestedSource) -> None:
        """Replaced as a whole, so that nobody reads half of it."""
        place = Path(source.location.location)
        follows = not source.revision.revision and _is_checked_out(place, key.branch)
        values = {
            "format": FORMAT,
            "location": source.location.location,
            "ref": source.revision.ref,
            "revision": source.revision.revision,
            "follows": follows,
            "kinds": source.kinds,
            "signatures": source.signatures,
        }
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._file(key)
        unfinished = file.with_suffix(f".{os.getpid()}")
        descriptor = os.open(unfinished, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as output:
            output.write(canonical(values))
        unfinished.replace(file)

    def find(self, key: BranchKey, most_files: int | None) -> SourceState:
        unknown = SourceState(key.repository, key.branch, "unknown")
        values = self._read(key)
        if values is None or not (values["signatures"] or values["revision"]):
            return unknown  # or neither a folder nor a commit
        if most_files is not None and len(values["signatures"]) > most_files:
            return unknown
        place = Path(values["location"])
        if values["follows"] and not _is_checked_out(place, key.branch):
            return unknown
        changed = _count_in_git(place, values) if values["revision"] else _count(place, values)
        return SourceState(key.repository, key.branch, "moved" if changed else "current", changed)

    def _read(self, key: BranchKey) -> Any:
        """As it was recorded last; None where nothing of this format was. Read once."""
        file = self._file(key)
        try:
            signature = signature_of(file.stat())
            if key not in self._known or self._known[key][0] != signature:
                self._known[key] = (signature, json.loads(file.read_bytes()))
        except FileNotFoundError:
            return None
        values = self._known[key][1]
        return values if isinstance(values, dict) and values.get("format") == FORMAT else None

    def _file(self, key: BranchKey) -> Path:
        return self._folder / f"{digest(key)}.json"


def _is_checked_out(place: Path, branch: str) -> bool:
    from docgraph.adapters.sources.checkout import head_branch

    return head_branch(place) == branch


def _count(place: Path, values: Any) -> int:
    """Files that are new, changed or gone."""
    before, kinds = values["signatures"], frozenset(values["kinds"])
    seen = changed = 0
    for file in FolderSource(place).files():
        if not isinstance(file, SourceFile):
            continue
        known = before.get(file.path)
        seen += known is not None
        changed += (
            _has_kind(file.path, kinds) if known is None else known != list(file.signature or ())
        )
    return changed + len(before) - seen


def _count_in_git(place: Path, values: Any) -> int:
    """Between the commit that was ingested and the one that the ref names now."""
    from docgraph.adapters.sources.git_repository import find_repository, find_revision

    repository = find_repository(place)
    old, new = values["revision"], find_revision(repository, values["ref"]).commit
    if old == new:
        return 0
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new)
    below = ("--", repository.folder) if repository.folder else ()
    reply = repository.git.run(*words, *below)
    if reply.errors:
        raise BadInput(f"{place}: git cannot compare {old} with {new}: {reply.errors}")
    names = filter(None, reply.line.split("\0"))
    kinds = frozenset(values["kinds"])
    return sum(_has_kind(name, kinds) and not _is_hidden(name) for name in names)


def _is_hidden(path: str) -> bool:
    return any(map(is_hidden, path.split("/")))


def _has_kind(path: str, kinds: Iterable[str]) -> bool:
    name = PurePosixPath(path)
    return name.suffix.casefold() in kinds or name.name.casefold() in kinds
