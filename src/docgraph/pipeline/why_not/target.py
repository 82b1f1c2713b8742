"""The node or chunk to explain, found with the reader's own rights, and edges that lead to it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from docgraph.model.edge import CONTAINS, RELATIONS, Edge
from docgraph.model.errors import BadInput
from docgraph.model.evidence import ChunkScore
from docgraph.model.node import Location, document_of, encode
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.why_not.trials import TrialRun
from docgraph.plan.resolved_edges import outgoing_edges
from docgraph.ports.store import ReaderSession
from docgraph.ports.text_reads import TextReads


@dataclass(frozen=True, slots=True)
class Target:
    """`id` is the node or the chunk, `node` the node itself or the one that contains the chunk."""

    id: str
    node: str
    location: Location
    question: Question
    reads: ReaderSession
    _matches: dict[str, bool] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return document_of(self.node)

    def overlaps(self, document: str, location: Location) -> bool:
        """Whether a location in a document contains it, or lies in it."""
        if document != self.root or self.id == self.root:
            return document == self.root
        return _contains(location, self.location) or _contains(self.location, location)

    def matching_ids(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those that are the target, contain it or lie in it, in the order given."""
        own = [node for node in ids if document_of(node) == self.root]
        new = tuple(dict.fromkeys(node for node in own if node not in self._matches))
        if new:
            concepts = open_texts(self.reads, self.question, new).concepts(new)
            locations = {concept.id: concept.location for concept in concepts}
            for node in new:
                location = locations.get(node)
                overlaps = location is not None and self.overlaps(self.root, location)
                self._matches[node] = overlaps or self.root in (node, self.id)
        return tuple(node for node in own if self._matches[node])


def find_target(name: str, reads: ReaderSession, question: Question) -> Target | None:
    """By id, or by a path that exactly one visible node has; None if nothing is visible."""
    target = _find_by_id(name, reads, question)
    if target is not None:
        return target
    repositories = (encode(one.repository) for one in reads.scope.snapshots)
    targets = [_find_by_id(f"{one}:{name}", reads, question) for one in repositories]
    visible = [one for one in targets if one is not None]
    if len(visible) > 1:
        names = ", ".join(one.id for one in visible)
        raise BadInput(f"{name!r} fits several nodes; name one of them whole: {names}")
    return visible[0] if visible else None


def open_texts(reads: ReaderSession, question: Question, nodes: tuple[str, ...]) -> TextReads:
    """Through a plan of these nodes, which checks the reader's rights."""
    return reads.texts(RetrievalPlan.of_seeds(question, nodes, admit="why"))


def fetch_order(score: ChunkScore) -> tuple[int, int]:
    """The order in which a document's chunks are fetched."""
    return (-(score.similarity or 0), score.position)


def _find_by_id(one_id: str, reads: ReaderSession, question: Question) -> Target | None:
    if reads.graph.visible_ids((one_id,)):
        (concept,) = open_texts(reads, question, (one_id,)).concepts((one_id,))
        return Target(one_id, one_id, concept.location, question, reads)
    node, _, position = one_id.rpartition("@")
    if not position.isdecimal() or not reads.graph.visible_ids((node,)):
        return None
    texts = open_texts(reads, question, (node,))
    scores = tuple(score for score in texts.chunk_scores(node) if score.id == one_id)
    for chunk in texts.chunks(scores):
        return Target(one_id, node, chunk.location, question, reads)
    return None


def _contains(outer: Location, inner: Location) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


# Edges that lead to the target from found nodes, and that planning did not follow.


NEIGHBOURS, TREE = "expand_relationships", "expand_dependency_tree"
_FOLLOWED = frozenset(RELATIONS) - {CONTAINS}


@dataclass(frozen=True, slots=True)
class UntakenEdge:
    """An edge to the target, and the option that keeps planning from following it."""

    edge: Edge
    option: str
    reason: str


def untaken_edges(trial: TrialRun, target: Target) -> tuple[UntakenEdge, ...]:
    """Edges of excluded relations first, then edges that are too far away."""
    step = trial.step_making(RetrievalPlan)
    if step.action.name not in (NEIGHBOURS, TREE):
        return ()
    option = step.options["relations"]
    allowed = _FOLLOWED if option is None else frozenset(option)
    near, far = _sources(trial)
    excluded = (
        UntakenEdge(edge, "relations", f"{edge.relation} is not followed")
        for edge in _edges_to_target(near, target, by_node=step.action.name == TREE)
        if edge.relation not in allowed
    )
    if step.action.name == TREE:
        depth = step.options["max_depth"]
        further = [
            UntakenEdge(edge, "max_depth", f"that is one step beyond max_depth={depth}")
            for edge in _edges_to_target(near, target, by_node=True)
            if edge.relation in allowed
        ]
    else:
        count = min(step.options["max_seed_documents"], step.options["max_documents"])
        reason = f"only seeds of the first {count} documents lead on"
        further = [
            UntakenEdge(edge, "max_seed_documents", reason)
            for edge in _edges_to_target(far, target, by_node=False)
            if edge.relation in allowed
        ]
    return (*excluded, *further)


def _sources(trial: TrialRun) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Nodes whose edges are followed, and seeds whose edges are not."""
    step = trial.step_making(RetrievalPlan)
    if step.action.name == TREE:
        return trial.get(RetrievalPlan).order, ()
    seeds = trial.get(Seeds)
    count = min(step.options["max_seed_documents"], step.options["max_documents"])
    near = seeds.of_first_documents(count)
    return near, tuple(node for node in seeds.ids if node not in near)


def followed_nodes(trial: TrialRun) -> tuple[str, ...]:
    """Nodes whose edges planning followed."""
    return _sources(trial)[0]


def _edges_to_target(nodes: tuple[str, ...], target: Target, *, by_node: bool) -> Iterable[Edge]:
    """Visible edges from these nodes to the target, or to its document unless `by_node`."""
    if not nodes:
        return []
    if not by_node and target.root in map(document_of, nodes):
        return []  # a document is not a neighbour of its own parts
    outgoing = outgoing_edges(target.reads.graph, nodes, _FOLLOWED)
    edges = sorted({one.edge for one in outgoing if document_of(one.edge.target) == target.root})
    if not by_node:
        return edges
    matching = set(target.matching_ids(edge.target for edge in edges))
    return [edge for edge in edges if edge.target in matching]
