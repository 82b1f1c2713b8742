"""The retrieval plan: the nodes that may be read, as plain data without text or scores."""

from dataclasses import dataclass, field

from docgraph.model.digest import digest
from docgraph.model.embedding_state import COMPLETE
from docgraph.model.node import document_of
from docgraph.model.question import EmbedderIdentity, Question
from docgraph.model.seeds import EVERY_CANDIDATE, Selection

Setting = tuple[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class Expansion:
    """A node admitted by an edge: `source --via--> target`, `depth` hops from a seed.

    `document_id` is what the plan admits; `target`, the end of the edge, may be a section or
    symbol of it. `backwards` says that the edge was followed against its direction.
    In JSON `source` is called `from`, which Python reserves.
    """

    document_id: str
    via: str
    source: str = field(metadata={"alias": "from"})
    target: str
    depth: int
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """A node that was reached, and the limit that excluded it."""

    document_id: str
    limit: str


@dataclass(frozen=True, slots=True)
class Constraints:
    """The limits and options that the plan was made with; `embeddings` says how far the visible
    documents were embedded then."""

    search: tuple[Setting, ...]
    selection: Selection
    traversal_enabled: bool
    max_relationship_depth: int
    direction: str
    relations: tuple[str, ...] | None
    max_documents: int | None
    max_seed_documents: int | None
    max_nodes: int | None
    admit: str
    exact: bool = True
    embeddings: str = COMPLETE


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """`order` is the order of admission, over seeds and expanded nodes alike."""

    question: str
    query_vector: tuple[int, ...] = field(repr=False)
    embedder: EmbedderIdentity
    seed_documents: tuple[str, ...]
    expanded_documents: tuple[Expansion, ...]
    order: tuple[str, ...]
    constraints: Constraints
    cut: tuple[Cut, ...]

    @classmethod
    def of_seeds(
        cls,
        question: Question,
        seeds: tuple[str, ...],
        *,
        search: tuple[Setting, ...] = (),
        selection: Selection = EVERY_CANDIDATE,
        exact: bool = True,
        embeddings: str = COMPLETE,
        max_documents: int | None = None,
        cut: tuple[Cut, ...] = (),
        admit: str = "seeds",
    ) -> "RetrievalPlan":
        """A plan that follows no relation: these nodes, in this order."""
        return cls(
            question=question.text,
            query_vector=question.vector,
            embedder=question.embedder,
            seed_documents=seeds,
            expanded_documents=(),
            order=seeds,
            constraints=Constraints(
                search=search,
                selection=selection,
                exact=exact,
                embeddings=embeddings,
                traversal_enabled=False,
                max_relationship_depth=0,
                direction="out",
                relations=(),
                max_documents=max_documents,
                max_seed_documents=None,
                max_nodes=None,
                admit=admit,
            ),
            cut=cut,
        )

    @property
    def digest(self) -> str:
        return digest(self)

    @property
    def nodes(self) -> frozenset[str]:
        return frozenset(self.order)

    @property
    def documents(self) -> tuple[str, ...]:
        """The root documents, in order of admission."""
        return tuple(dict.fromkeys(document_of(node) for node in self.order))

    def expansion_of(self, node: str) -> Expansion | None:
        return next((e for e in self.expanded_documents if e.document_id == node), None)

    def rule_for(self, node: str) -> str:
        """In words: why the plan admits this node."""
        expansion = self.expansion_of(node)
        if expansion is None:
            position = self.seed_documents.index(node) + 1
            return f"seed {position} of {len(self.seed_documents)}"
        how = f"depth {expansion.depth}{', walked backwards' if expansion.backwards else ''}"
        return f"{expansion.source} ->{expansion.via}-> {expansion.target} ({how})"
