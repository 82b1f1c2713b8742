"""Snapshots: their names, how a question selects them, and what maintenance reports."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docgraph.model.embedding_state import NOTHING_TO_EMBED, EmbeddingState, StateName
from docgraph.model.errors import BadInput, NotVisible
from docgraph.model.node import encode
from docgraph.model.question import EmbedderIdentity
from docgraph.model.running_ingest import RunningIngest
from docgraph.model.source_state import SourceState
from docgraph.model.validation import suggest


@dataclass(frozen=True, slots=True, order=True)
class SnapshotName:
    repository: str
    branch: str
    snapshot: int

    @property
    def ingestion_id(self) -> str:
        """Of the ingestion that published it, and brought the versions that first appear in it."""
        return f"{encode(self.repository)}:{encode(self.branch)}:{self.snapshot}"


@dataclass(frozen=True, slots=True)
class Scope:
    """Snapshots, sorted, one for each repository: so a node id names one node."""

    snapshots: tuple[SnapshotName, ...]

    def __post_init__(self) -> None:
        repositories = [name.repository for name in self.snapshots]
        if sorted(set(repositories)) != repositories:
            raise BadInput("a scope names each repository once, in order")


@dataclass(frozen=True, slots=True)
class SnapshotSelector:
    """Snapshots that a question names; the store resolves it to a Scope of visible ones.

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


def nothing_visible(selector: SnapshotSelector, visible: Iterable[SnapshotName]) -> NotVisible:
    """The error of a selector that fits none of the visible snapshots; it says what would fit.

    It lists no numbers of snapshots: an ingest of hidden documents alone adds one.
    """
    where, known = "", tuple(visible)
    hint = ""
    for field, words in (
        ("repository", "in repository"),
        ("branch", "on branch"),
        ("snapshot", "in snapshot"),
    ):
        name = getattr(selector, field)
        if name is None:
            continue
        where += f" {words} {name!r}"
        names = dict.fromkeys(getattr(one, field) for one in known)
        known = tuple(one for one in known if getattr(one, field) == name)
        if not known and not hint:
            numbered = field == "snapshot"
            hint = "`snapshots` lists their numbers" if numbered else suggest(name, names)
    return NotVisible(f"nothing visible{where}" + (f"; {hint}" if hint else ""))


ALL_REPOSITORIES: tuple[SnapshotSelector, ...] = (SnapshotSelector(),)


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """One snapshot of a branch; `documents` counts those that the reader may see, `embeddings` says
    whether these are embedded: none, partial or complete.

    `ref` and `revision` name the commit it was made from, where there is one.
    """

    name: SnapshotName
    created: str
    ref: str
    revision: str
    embedder: str
    miners: tuple[str, ...]
    documents: int
    embeddings: StateName


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """Where an ingest reads from: the real path of a folder, file or repository, or an address.

    `ref` is the branch, tag or commit of a git repository, empty for files as they lie there.
    """

    location: str
    ref: str = ""

    def describe(self) -> str:
        return f"{self.location} at {self.ref}" if self.ref else self.location

    def overlaps(self, other: "SourceLocation") -> bool:
        """Whether one lies inside the other, or both are the same."""
        mine, theirs = (_with_slash(one.location) for one in (self, other))
        return mine.startswith(theirs) or theirs.startswith(mine)


def _with_slash(location: str) -> str:
    return location.replace("\\", "/").rstrip("/") + "/"


@dataclass(frozen=True, slots=True)
class BranchSource:
    """The source that a branch is filled from; None for one that a program handed over."""

    repository: str
    branch: str
    source: SourceLocation | None


@dataclass(frozen=True, slots=True)
class PruneResult:
    """How many rows were deleted.

    `pending` are document versions whose rows an external index still holds: it could not be
    reached, and removes them at the next ingest.
    """

    snapshots: int
    documents: int
    texts: int
    vectors: int
    pending: int = 0


@dataclass(frozen=True, slots=True)
class ReindexResult:
    """How many rows the external vector index was filled with."""

    index: str
    rows: int


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """How many rows were checked, by name, and the problems found."""

    checked: tuple[tuple[str, int], ...]
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems


@dataclass(frozen=True, slots=True)
class Status:
    """What a reader can see: snapshots, counts, the model of the vectors, and how far these are.

    `ingests` of the tenant that run, and `source_states`, whether the snapshots' sources have moved
    on, are for readers with the right `ingest` alone.
    """

    scope: Scope
    counts: Mapping[str, int]
    embedder: EmbedderIdentity | None
    embeddings: EmbeddingState = NOTHING_TO_EMBED
    ingests: tuple[RunningIngest, ...] = ()
    source_states: tuple[SourceState, ...] = ()
