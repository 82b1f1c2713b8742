"""Which snapshots a question is asked of."""

from dataclasses import dataclass

from docgraph.model.errors import BadInput


@dataclass(frozen=True, slots=True, order=True)
class SnapshotName:
    repository: str
    branch: str
    snapshot: int


@dataclass(frozen=True, slots=True)
class Scope:
    """Concrete snapshots, sorted; a repository stands in it once, so a node id names one node."""

    snapshots: tuple[SnapshotName, ...]

    def __post_init__(self) -> None:
        repositories = [name.repository for name in self.snapshots]
        if sorted(set(repositories)) != repositories:
            raise BadInput("a scope names each repository once, in order")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for; the store turns it into a Scope of what the reader can see.

    `repository=None` means every repository with something visible; `branch=None` means `main`,
    else `master`, else the first branch by name that holds something visible; `snapshot=None`
    means the newest.
    """

    repository: str | None = None
    branch: str | None = None
    snapshot: int | None = None

    def __post_init__(self) -> None:
        if self.snapshot is not None and (self.repository is None or self.branch is None):
            raise BadInput("a snapshot number needs its repository and branch beside it")


EVERYTHING: tuple[Wanted, ...] = (Wanted(),)
