"""References and definitions: the two ends of a mined edge, each made from one document alone.

A reference says "these characters name the node with this key"; a definition says "this node has
this key". They are joined at query time, over what the reader can see.

Keys begin with their kind:
`path:docs/a.md`   a file, also without its suffix, and a folder by its front page
`doc:pep484`       a document's normalised name (path, file name, number in a series)
`code:fetch_node`  a symbol's or code file's normalised name
`title:Some Title` a document's title, also without its disambiguation in brackets
`entity:Some Name` a name in prose; it has no definition, documents that refer to it share it
Languages add their own: `py:pkg.module`, `java:org.example.Type`, `table:orders`, and so on.

`suffix` names a node within its document: it is what the node's id adds to the document's id,
`#slug` or `::name`, and empty for the document itself.
"""

from dataclasses import dataclass
from typing import NamedTuple

ENTITY = "entity"


class Definition(NamedTuple):
    """A key that a node can be referred to by; the lower the rank, the likelier."""

    key: str
    suffix: str = ""
    rank: int = 0


class ReferenceTarget(NamedTuple):
    """What a name may mean: the nodes with this key.

    `inner` (`#slug`, `::name`) is a node inside such a node; where there is none, the reference
    means the node with the key itself, or nothing if it is `strict`. The edge's rank is the sum
    of the target's and the definition's, and `distance_weight` times the folders between the two
    files. A reference that resolves to nothing is shown only with `report_unresolved`.
    """

    key: str
    inner: str = ""
    strict: bool = False
    rank: int = 0
    distance_weight: int = 0
    report_unresolved: bool = True


class Reference(NamedTuple):
    """A part of a node's text, and what it may mean; `text` is how it is shown."""

    suffix: str
    relation: str
    target: ReferenceTarget
    start: int
    end: int
    line: int
    text: str
    miner: str


@dataclass(frozen=True, slots=True)
class ReferenceCount:
    """A miner's references: `resolved` match a definition, `unresolved` match none and should."""

    miner: str
    relation: str
    resolved: int
    unresolved: int


@dataclass(frozen=True, slots=True, order=True)
class UnresolvedReference:
    """A reference that matches no definition."""

    path: str
    line: int
    what: str
