"""What execution fetched: passages of planned documents, grouped by document."""

from dataclasses import dataclass

from docgraph.model.digest import digest
from docgraph.model.node import Location
from docgraph.model.plan import RetrievalPlan


@dataclass(frozen=True, slots=True)
class Concept:
    """What a planned node is about, and on what grounds its reader may see it.

    `labels` and `level` are those of its document's rule.
    """

    id: str
    document: str
    kind: str
    title: str
    summary: str
    location: Location
    access: str
    labels: frozenset[str]
    level: int


@dataclass(frozen=True, slots=True)
class ChunkScore:
    """A passage of a planned node before its text is read; `similarity` is an exact integer."""

    id: str
    node: str
    position: int
    similarity: int | None
    size: int


@dataclass(frozen=True, slots=True)
class EvidenceChunk:
    id: str
    node: str
    heading_path: tuple[str, ...]
    text: str
    location: Location
    similarity: int | None


@dataclass(frozen=True, slots=True)
class NodeEvidence:
    """The evidence of one planned node; `cut` counts the passages its limits left out."""

    concept: Concept
    rule: str
    passages: tuple[EvidenceChunk, ...]
    cut: int


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing execution let in or left out, and why."""

    id: str
    entered: bool
    reason: str


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """In the plan's order of admission. `decisions` lists what limits and budgets did."""

    question: str
    nodes: tuple[NodeEvidence, ...]
    decisions: tuple[Decision, ...]
    reason: str

    @property
    def digest(self) -> str:
        return digest(self)


# Saying why there is no evidence.


def not_visible(node: str) -> Decision:
    """Forbidden, deleted and never there read alike."""
    return Decision(node, False, "nothing visible under this id")


def why_empty(
    plan: RetrievalPlan, nodes: tuple[NodeEvidence, ...], decisions: tuple[Decision, ...]
) -> str:
    """Empty when there is something to show."""
    if any(node.passages for node in nodes):
        return ""
    if not plan.order:
        return "nothing visible matches"
    if all(not_visible(node) in decisions for node in plan.order):
        return "nothing visible is left of this plan"
    return "nothing visible of this plan has a text that fits"
