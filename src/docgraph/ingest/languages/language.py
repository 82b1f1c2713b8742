"""What has to be known about a language to read its files."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import Node

from docgraph.ingest.languages.bindings import Chain, Imported, Targets, parse_chain
from docgraph.ingest.parsed_file import Part
from docgraph.model.reference import Definition

if TYPE_CHECKING:
    from docgraph.ingest.languages.source import SourceCode

Span = tuple[int, int]
NamedSpan = tuple[str, Span, Span]  # a definition's kind, its span, and that of its name
Parts = tuple[Part, ...]
ResolveUnbound = Callable[[Chain], Targets | None]


def leave_unresolved(chain: Chain) -> Targets | None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True)
class Imports:
    """What a file imports; positions are bytes.

    `references` are (span, its text, targets), `bindings` are (name, position, binding), and
    `resolve_unbound` resolves a chain whose first name nothing in the file binds.
    """

    references: tuple[tuple[Span, str, Targets], ...] = ()
    bindings: tuple[tuple[str, int, Imported], ...] = ()
    resolve_unbound: ResolveUnbound = leave_unresolved


def span_of(node: Node) -> Span:
    return node.start_byte, node.end_byte


def _find_nothing(source: "SourceCode") -> Iterable[NamedSpan]:  # noqa: ARG001
    return ()


def _inherit(kind: str, chain: Chain) -> str:  # noqa: ARG001
    return "inherits"


@dataclass(frozen=True, slots=True)
class Language:
    """`query` captures nodes by the names that the package's docstring lists.

    `grammar` imports the grammar's package when it is first needed. `imports` and `definitions`
    are what a file imports and by which keys others may import it, `title` is the file's title.
    `extra_definitions` finds what the grammar does not parse, and `prepare` rewrites the text so
    that the grammar can parse the rest.
    `callee` is the span of a call's name where that is not what was captured; `parse_chain`
    parses such a name, `definition_name` that of a definition, `variable_name` that of a
    variable; `base_relation` is a class's relation to a base.
    `member_access` is which code can name a class's members without a receiver: no code
    (`none`), that `direct`ly in the class, or all that is `nested` in it. With
    `separate_call_names`, methods have names of their own (`name()`); with
    `callable_variables`, a variable can be called all the same.
    `doc_marks` begin comments that document what follows them. `max_merges` limits how many
    readings of a text the parser leaves undecided; ordinary code has a fifth of them at most.
    """

    grammar: Callable[[], object]
    query: str
    imports: Callable[["SourceCode"], Imports]
    definitions: Callable[["SourceCode", Parts], Iterable[Definition]]
    title: Callable[["SourceCode", Parts], str]
    extra_definitions: Callable[["SourceCode"], Iterable[NamedSpan]] = _find_nothing
    callee: Callable[[Node], Span] | None = None
    parse_chain: Callable[[str], Chain | None] = parse_chain
    definition_name: Callable[[str], str] = str
    variable_name: Callable[[str], str] = str
    base_relation: Callable[[str, Chain], str] = _inherit
    prepare: Callable[[bytes], bytes] = bytes
    builtins: frozenset[str] = frozenset()
    self_words: tuple[str, ...] = ()
    super_words: tuple[str, ...] = ()
    member_access: str = "none"
    separate_call_names: bool = False
    callable_variables: bool = False
    doc_marks: tuple[str, ...] = ()
    max_merges: float = math.inf
