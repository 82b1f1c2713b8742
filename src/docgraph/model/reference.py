"""Claims and offers: the two halves of a mined edge, each made of one document alone.

A claim says "these characters mean whoever offers this key"; an offer says "I go by this key".
They meet when a reader asks, over what that reader can see, so no half depends on anyone else.

Keys begin with their kind:
`path:docs/a.md`   a file, also without its suffix, and a folder by its front page
`doc:pep484`       a document's normalised name (path, file name, number in a series)
`code:fetch_node`  a symbol's or code file's normalised name
`title:Some Title` a document's title, also without its disambiguation in brackets
`entity:Some Name` a name in prose; nobody offers it, those who claim it share it
Languages add their own: `py:pkg.module`, `java:org.example.Type`, `table:orders`, and so on.
"""

from dataclasses import dataclass

ENTITY = "entity"


@dataclass(frozen=True, slots=True, order=True)
class Definition:
    """A key by which a node can be meant; the lower the rank, the likelier."""

    key: str
    node: str
    rank: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """Characters of a node's text that may mean whoever offers `key`.

    `inner` (`#slug`, `::name`) is something inside the offered node; where there is no such
    thing, the claim means the offered node itself, or nobody if it is `strict`. The edge's rank
    is the sum of both ranks and `near` times the folders between the two files. Nobody is told
    of an unanswered claim unless it is `reported`.
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


# Places: where a text names another node, and whether anyone goes by that name.


@dataclass(frozen=True, slots=True)
class ReferenceCount:
    """Places by who found them: `met` are answered by some node, `unmet` should be and are not."""

    miner: str
    relation: str
    met: int
    unmet: int


@dataclass(frozen=True, slots=True, order=True)
class UnresolvedReference:
    """A reference that nothing answers."""

    path: str
    line: int
    what: str
