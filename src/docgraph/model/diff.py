"""Differences between two retrievals, and between two snapshots."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from docgraph.model.edge import Edge

ON, NOT_THERE = "on", "-"


@dataclass(frozen=True, slots=True)
class RetrievalSummary:
    """One side of the comparison. `settings` are by name, `context` is its context's digest.

    `evidence` has a digest of each chunk's text, `tokens` each document's share. They are None
    where the side is a receipt, which has neither.
    """

    settings: Mapping[str, str]
    documents: frozenset[str]
    edges: frozenset[Edge]
    context: str | None
    evidence: Mapping[str, str] | None = None
    tokens: Mapping[str, int] | None = None
    total_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting or a number that is not the same on both sides."""

    name: str
    left: str | int
    right: str | int


@dataclass(frozen=True, slots=True)
class RetrievalDiff:
    """`gained` is what only the right side has; `changed` evidence differs in text."""

    settings: tuple[Difference, ...]
    documents_gained: tuple[str, ...]
    documents_lost: tuple[str, ...]
    edges_gained: tuple[Edge, ...]
    edges_lost: tuple[Edge, ...]
    evidence_gained: tuple[str, ...]
    evidence_lost: tuple[str, ...]
    evidence_changed: tuple[str, ...]
    tokens: tuple[Difference, ...]
    total_tokens: tuple[int | None, int | None]
    same_context: bool

    @property
    def differs(self) -> bool:
        """Whether the results differ; different settings alone do not count."""
        changes = (
            *(self.documents_gained, self.documents_lost, self.edges_gained, self.edges_lost),
            *(self.evidence_gained, self.evidence_lost, self.evidence_changed),
        )
        left, right = self.total_tokens
        return any(changes) or bool(self.tokens) or left != right or not self.same_context


def compare_retrievals(left: RetrievalSummary, right: RetrievalSummary) -> RetrievalDiff:
    before, after = left.evidence or {}, right.evidence or {}
    both = before.keys() & after.keys()
    return RetrievalDiff(
        settings=_drop_options_of_missing_steps(
            _differences(left.settings, right.settings, NOT_THERE)
        ),
        documents_gained=_only(right.documents, left.documents),
        documents_lost=_only(left.documents, right.documents),
        edges_gained=tuple(sorted(right.edges - left.edges)),
        edges_lost=tuple(sorted(left.edges - right.edges)),
        evidence_gained=_only(after, before),
        evidence_lost=_only(before, after),
        evidence_changed=tuple(sorted(one for one in both if before[one] != after[one])),
        tokens=_differences(left.tokens or {}, right.tokens or {}, 0),
        total_tokens=(left.total_tokens, right.total_tokens),
        same_context=left.context == right.context,
    )


def _drop_options_of_missing_steps(settings: tuple[Difference, ...]) -> tuple[Difference, ...]:
    """Where only one side has a step, its options are not listed."""
    steps = [one.name for one in settings if {one.left, one.right} == {ON, NOT_THERE}]
    return tuple(
        one for one in settings if one.name.partition(".")[0] not in steps or one.name in steps
    )


def _only(these: Iterable[str], those: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(these) - set(those)))


def _differences(
    left: Mapping[str, str] | Mapping[str, int],
    right: Mapping[str, str] | Mapping[str, int],
    default: str | int,
) -> tuple[Difference, ...]:
    """In the order of the left side, then of the right."""
    names = dict.fromkeys((*left, *right))
    pairs = ((name, left.get(name, default), right.get(name, default)) for name in names)
    return tuple(Difference(*pair) for pair in pairs if pair[1] != pair[2])


# Differences between two snapshots, as one reader sees them.


@dataclass(frozen=True, slots=True)
class SnapshotContent:
    """A snapshot's documents with a digest of their text, and its edges."""

    documents: Mapping[str, str]
    edges: frozenset[Edge]


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    gained: tuple[Edge, ...]
    lost: tuple[Edge, ...]


def compare_snapshots(old: SnapshotContent, new: SnapshotContent) -> SnapshotDiff:
    both = old.documents.keys() & new.documents.keys()
    return SnapshotDiff(
        added=tuple(sorted(new.documents.keys() - both)),
        removed=tuple(sorted(old.documents.keys() - both)),
        changed=tuple(sorted(d for d in both if old.documents[d] != new.documents[d])),
        gained=tuple(sorted(new.edges - old.edges)),
        lost=tuple(sorted(old.edges - new.edges)),
    )
