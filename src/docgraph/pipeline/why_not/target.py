"""What `why` asks about: a node or a chunk, found through the reader's own windows."""

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
from docgraph.plan.ambiguity import outgoing
from docgraph.plan.plan_seeds import within
from docgraph.ports.store import ReaderSession
from docgraph.ports.text_reads import TextReads


@dataclass(frozen=True, slots=True)
class Target:
    """`id` is the node or the chunk, `node` the node itself or the one that holds the chunk."""

    id: str
    node: str
    location: Location
    question: Question
    reads: ReaderSession
    _known: dict[str, bool] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return document_of(self.node)

    def meets(self, document: str, location: Location) -> bool:
        """Whether a place in a document holds it, or lies in it."""
        if document != self.root or self.id == self.root:
            return document == self.root
        return _holds(location, self.location) or _holds(self.location, location)

    def among(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those that are it, hold it or lie in it, in the order given."""
        own = [node for node in ids if document_of(node) == self.root]
        new = tuple(dict.fromkeys(node for node in own if node not in self._known))
        if new:
            concepts = texts_of(self.reads, self.question, new).concepts(new)
            places = {found.id: found.location for found in concepts}
            for node in new:
                whole = self.root in (node, self.id)
                self._known[node] = whole or (node in places and self._nests(places[node]))
        return tuple(node for node in own if self._known[node])

    def _nests(self, location: Location) -> bool:
        return self.meets(self.root, location)


def find_target(written: str, reads: ReaderSession, question: Question) -> Target | None:
    """By its id; or by its path, where exactly one visible node fits. Else nothing is visible."""
    fitting = _named(written, reads, question)
    if fitting is not None:
        return fitting
    homes = (encode(name.repository) for name in reads.scope.snapshots)
    found = [_named(f"{home}:{written}", reads, question) for home in homes]
    visible = [one for one in found if one is not None]
    if len(visible) > 1:
        names = ", ".join(one.id for one in visible)
        raise BadInput(f"{written!r} fits several nodes; name one of them whole: {names}")
    return visible[0] if visible else None


def texts_of(reads: ReaderSession, question: Question, nodes: tuple[str, ...]) -> TextReads:
    """As a plan, so that reading them passes the same gate as all reading."""
    return reads.texts(RetrievalPlan.of_seeds(question, nodes, admit="why"))


def closest(score: ChunkScore) -> tuple[int, int]:
    """The order in which a document's passages are fetched."""
    return (-(score.similarity or 0), score.position)


def _named(written: str, reads: ReaderSession, question: Question) -> Target | None:
    if reads.graph.visible_ids((written,)):
        (concept,) = texts_of(reads, question, (written,)).concepts((written,))
        return Target(written, written, concept.location, question, reads)
    holder, _, position = written.rpartition("@")
    if not position.isdecimal() or not reads.graph.visible_ids((holder,)):
        return None
    window = texts_of(reads, question, (holder,))
    chunk = tuple(score for score in window.chunk_scores(holder) if score.id == written)
    for passage in window.chunks(chunk):
        return Target(written, holder, passage.location, question, reads)
    return None


def _holds(outer: Location, inner: Location) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


# Roads: relations that lead to a node from what was found, and that planning did not take.


NEIGHBOURS, TREE = "expand_relationships", "expand_dependency_tree"
_FOLLOWED = frozenset(RELATIONS) - {CONTAINS}


@dataclass(frozen=True, slots=True)
class UntakenEdge:
    """An edge that leads there, and what keeps planning from taking it: an option, in words."""

    edge: Edge
    option: str
    words: str


def untaken_edges(tried: TrialRun, sought: Target) -> tuple[UntakenEdge, ...]:
    """Relations that are not followed come first, then edges that are too far away."""
    step = tried.making(RetrievalPlan)
    if step.action.name not in (NEIGHBOURS, TREE):
        return ()
    named = step.options["relations"]
    allowed = _FOLLOWED if named is None else frozenset(named)
    near, far = _senders(tried)
    barred = (
        UntakenEdge(edge, "relations", f"{edge.relation} is not followed")
        for edge in _leading(near, sought, by_node=step.action.name == TREE)
        if edge.relation not in allowed
    )
    if step.action.name == TREE:
        depth = step.options["max_depth"]
        further = [
            UntakenEdge(edge, "max_depth", f"that is one step beyond max_depth={depth}")
            for edge in _leading(near, sought, by_node=True)
            if edge.relation in allowed
        ]
    else:
        places = min(step.options["seed_places"], step.options["documents"])
        further = [
            UntakenEdge(edge, "seed_places", f"only seeds of the first {places} documents lead on")
            for edge in _leading(far, sought, by_node=False)
            if edge.relation in allowed
        ]
    return (*barred, *further)


def _senders(tried: TrialRun) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Whose edges are followed, and whose edges are not."""
    step = tried.making(RetrievalPlan)
    if step.action.name == TREE:
        return tried.get(RetrievalPlan).order, ()
    seeds = tried.get(Seeds)
    near = within(seeds, min(step.options["seed_places"], step.options["documents"]))
    return near, tuple(node for node in seeds.ids if node not in near)


def senders(tried: TrialRun) -> tuple[str, ...]:
    """Whose edges planning followed."""
    return _senders(tried)[0]


def _leading(nodes: tuple[str, ...], sought: Target, *, by_node: bool) -> Iterable[Edge]:
    """Visible edges from these nodes to it; a plan of documents admits the whole document."""
    if not nodes:
        return []
    if not by_node and sought.root in map(document_of, nodes):
        return []  # a document is no neighbour of its own parts
    found = outgoing(sought.reads.graph, nodes, _FOLLOWED)
    edges = sorted({one.edge for one in found if document_of(one.edge.target) == sought.root})
    there = set(sought.among(edge.target for edge in edges)) if by_node else None
    return [edge for edge in edges if there is None or edge.target in there]
