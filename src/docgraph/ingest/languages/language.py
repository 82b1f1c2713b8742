"""What the walk has to be told about a language."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import Node

from docgraph.ingest.languages.bindings import Aims, Chain, Imported, chain_of
from docgraph.ingest.parsed_file import Handle, Part

if TYPE_CHECKING:
    from docgraph.ingest.languages.source import Source

Span = tuple[int, int]
Found = tuple[str, Span, Span]  # a definition's kind, its span, and that of its name
Parts = tuple[Part, ...]


def unresolved(chain: Chain) -> Aims | None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True)
class Imports:
    """What a file's statements take from elsewhere; places are bytes.

    `claims` are (span, what it says, aims), `names` are (name, place, meaning) and `elsewhere`
    tells where a chain may lead whose first name nothing in the file binds.
    """

    claims: tuple[tuple[Span, str, Aims], ...] = ()
    names: tuple[tuple[str, int, Imported], ...] = ()
    elsewhere: Callable[[Chain], Aims | None] = unresolved


def whole(node: Node) -> Span:
    return node.start_byte, node.end_byte


def nothing_more(source: "Source") -> Iterable[Found]:  # noqa: ARG001
    return ()


def inherits(kind: str, chain: Chain) -> str:  # noqa: ARG001
    return "inherits"


@dataclass(frozen=True, slots=True)
class Language:
    """`query` catches nodes by the names that the package's docstring lists.

    `grammar` imports the wheel, late. `imports` and `offers` say what a file takes and what it
    goes by, `title` what a person calls it. `more` finds definitions that the grammar knows no
    name for, in a text that `prepared` made readable for it.
    `callee` is the span of a call's name where that is not what was caught; `chain` reads such a
    name, `spelled` that of a definition, `folded` that of a variable; `base` is a class's
    relation to a base.
    `members` tells who can name a class's members without a receiver: `nobody`, code that is
    `direct`ly in the class, or all code `nested` in it. With `calls_apart`, methods have names
    of their own (`name()`); with `delegates`, a variable can be called all the same.
    `doc_marks` begin comments that document what follows them.
    """

    grammar: Callable[[], object]
    query: str
    imports: Callable[["Source"], Imports]
    offers: Callable[["Source", Parts], Iterable[Handle]]
    title: Callable[["Source", Parts], str]
    more: Callable[["Source"], Iterable[Found]] = nothing_more
    callee: Callable[[Node], Span] | None = None
    chain: Callable[[str], Chain | None] = chain_of
    spelled: Callable[[str], str] = str
    folded: Callable[[str], str] = str
    base: Callable[[str, Chain], str] = inherits
    prepared: Callable[[bytes], bytes] = bytes
    builtins: frozenset[str] = frozenset()
    self_words: tuple[str, ...] = ()
    super_words: tuple[str, ...] = ()
    members: str = "nobody"
    calls_apart: bool = False
    delegates: bool = False
    doc_marks: tuple[str, ...] = ()
