"""The rules of a commit that lie above the folder which is read of it."""

from pathlib import Path, PurePosixPath

from docgraph.adapters.sources.git_repository import find_repository, find_revision
from docgraph.model.access_lines import is_meant
from docgraph.model.errors import BadInput


def git_rules_above(path: Path, commit: str, inside: Path) -> bool:
    """Whether an access.yaml stands in a folder above, in this commit."""
    repository = find_repository(path, inside)
    revision = find_revision(repository, commit)
    folder = PurePosixPath(repository.folder)
    for above in folder.parents:
        tree = f"{revision.commit}:{'' if above == PurePosixPath('.') else above}"
        reply = repository.git.ask("ls-tree", "--name-only", "-z", tree)
        if reply.errors:
            raise BadInput(f"{path}: git cannot list a folder above it: {reply.errors}")
        if any(is_meant(name.decode("utf-8", "replace")) for name in reply.output.split(b"\0")):
            return True
    return False
