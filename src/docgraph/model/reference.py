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
"""

from dataclasses import dataclass

ENTITY = "entity"


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    """A key that a node can be referred to by; the lower the rank, the likelier."""

    key: str
    node: str
    rank: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """Characters of a node's text that may name a node with the definition `key`.

    `inner` (`#slug`, `::name`) is something inside that node; if it does not exist, the reference
    means the node itself, or nothing if it is `strict`. The edge's rank is the sum of both ranks
    and `near` times the folders between the two files. Only a `reported` reference is listed when
    it is unresolved.
    """

    source: str
    relation: str
    key: str
    start: int
    end: int
    line: int
    says: str
    miner: str
    inner: str = ""
    strict: bool = False
    rank: int = 0
    near: int = 0
    reported: bool = True


@dataclass(frozen=True, slots=True)
class ReferenceCount:
    """A miner's references: `met` match a definition, `unmet` match none and should."""

    miner: str
    relation: str
    met: int
    unmet: int


@dataclass(frozen=True, slots=True, order=True)
class UnresolvedReference:
    """A reference that matches no definition."""

    path: str
    line: int
    what: str
