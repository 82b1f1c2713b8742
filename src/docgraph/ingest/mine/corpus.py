"""The corpus as miners see it: a light sketch of every document, and texts one at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from docgraph.ingest.parsed import Field, Parsed, Reference
from docgraph.model.document import DefinedName
from docgraph.model.identity import document_of
from docgraph.model.node import Node


@dataclass(frozen=True, slots=True)
class Sketch:
    """A document without its text. `nodes` are the ids of the document and all its parts."""

    id: str
    path: str
    kind: str
    title: str
    titled: bool
    nodes: frozenset[str]
    names: tuple[DefinedName, ...]
    references: tuple[Reference, ...]
    fields: tuple[Field, ...]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def sketched(
    path: str, parsed: Parsed, nodes: Sequence[Node], names: tuple[DefinedName, ...]
) -> Sketch:
    """What miners need of a parsed file; its first node is the document's own."""
    return Sketch(
        id=nodes[0].id,
        path=path,
        kind=parsed.kind,
        title=parsed.title,
        titled=parsed.titled,
        nodes=frozenset(node.id for node in nodes),
        names=names,
        references=parsed.references,
        fields=parsed.fields,
    )


class Corpus:
    """Sketches by path, in order; `texts` gives (path, text) and may be asked more than once."""

    def __init__(
        self,
        sketches: Iterable[Sketch],
        texts: Callable[[], Iterator[tuple[str, str]]],
    ) -> None:
        self.by_path = {sketch.path: sketch for sketch in sorted(sketches, key=lambda s: s.path)}
        self.texts = texts

    @property
    def sketches(self) -> Iterable[Sketch]:
        return self.by_path.values()

    @cached_property
    def by_id(self) -> Mapping[str, Sketch]:
        return {sketch.id: sketch for sketch in self.sketches}

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """Normalised name → the nodes that define it."""
        found: dict[str, list[str]] = {}
        for sketch in self.sketches:
            for name in sketch.names:
                found.setdefault(name.name, []).append(name.node)
        return {name: tuple(nodes) for name, nodes in found.items()}

    @cached_property
    def by_title(self) -> Mapping[str, tuple[str, ...]]:
        """Titles that documents give themselves → those documents."""
        found: dict[str, list[str]] = {}
        for sketch in self.sketches:
            if sketch.titled:
                found.setdefault(sketch.title, []).append(sketch.id)
        return {title: tuple(ids) for title, ids in found.items()}

    def holds(self, node: str) -> bool:
        sketch = self.by_id.get(document_of(node))
        return sketch is not None and node in sketch.nodes


def distance(one: str, other: str) -> int:
    """Steps through folders from one file to another: it depends on the two paths alone."""
    here, there = one.split("/")[:-1], other.split("/")[:-1]
    shared = 0
    for left, right in zip(here, there, strict=False):
        if left != right:
            break
        shared += 1
    return len(here) + len(there) - 2 * shared
