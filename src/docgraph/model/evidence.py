"""Evidence: chunks of planned nodes, as execution fetched them."""

from dataclasses import dataclass

from docgraph.model.digest import digest
from docgraph.model.node import Location
from docgraph.model.plan import RetrievalPlan


@dataclass(frozen=True, slots=True)
class Concept:
    """Title and summary of a planned node, and why its reader may see it (`access`).

    `labels` and `level` are those of its document's access rule.
    """

    id: str
    kind: str
    title: str
    summary: str
    location: Location
    access: str
    labels: frozenset[str]
    level: int


@dataclass(frozen=True, slots=True)
class ChunkScore:
    """A chunk of a planned node without its text; `similarity` is an exact dot product.

    `lexical` is its BM25 score where it has no similarity.
    """

    id: str
    node: str
    position: int
    similarity: int | None
    size: int
    lexical: float = 0.0

    @property
    def order(self) -> tuple[int, float, int]:
        """The most relevant first. Of one document, all chunks have a similarity or none has."""
        return (-(self.similarity or 0), -self.lexical, self.position)


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
    """The chunks of one planned node; `cut` counts those that limits left out.

    `document_id` is the document that the node is, or lies in.
    """

    document_id: str
    concept: Concept
    rule: str
    chunks: tuple[EvidenceChunk, ...]
    cut: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether execution included a node or chunk, and why."""

    id: str
    entered: bool
    reason: str


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """In the plan's order of admission. `decisions` lists what limits left out."""

    question: str
    nodes: tuple[NodeEvidence, ...]
    decisions: tuple[Decision, ...]
    reason: str

    @property
    def digest(self) -> str:
        return digest(self)


def not_visible(node: str) -> Decision:
    """The same for a node that is forbidden, deleted or never existed."""
    return Decision(node, False, "nothing visible under this id")


NO_SEEDS = "no seeds: nothing visible matches"


def why_empty(
    plan: RetrievalPlan, nodes: tuple[NodeEvidence, ...], decisions: tuple[Decision, ...]
) -> str:
    """Why there is no evidence; "" if there is some."""
    if any(node.chunks for node in nodes):
        return ""
    if not plan.order:
        return NO_SEEDS
    if all(not_visible(node) in decisions for node in plan.order):
        return "nothing visible is left of this plan"
    return "nothing visible of this plan has a text that fits"
