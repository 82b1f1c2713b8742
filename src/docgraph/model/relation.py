"""The catalogue of relation types: a pipeline or a person may name these and no others."""

from types import MappingProxyType

RELATIONS = MappingProxyType(
    {
        "calls": "code that calls a function or method",
        "contains": "a node that encloses another",
        "decision_for": "a decision that settles something",
        "derived_from": "a document made out of another",
        "documents": "a document that names a symbol or path",
        "example_of": "an example of something",
        "explains": "a document that explains another",
        "implements": "code or a document that carries out another",
        "imports": "code that imports a module",
        "inherits": "a class built on another",
        "mentions": "a text that mentions another document's title",
        "obsoleted_by": "the inverse of obsoletes",
        "obsoletes": "a document that makes another obsolete",
        "reads": "code that reads a table",
        "references": "a document that links to or cites another",
        "replaced_by": "the inverse of replaces",
        "replaces": "a document that takes another's place",
        "requires": "a document that builds on another",
        "shares_entity": "two documents that share a rare name",
        "superseded_by": "the inverse of supersedes",
        "supersedes": "a newer document that overrules another",
        "updated_by": "the inverse of updates",
        "updates": "a document that amends another",
        "writes": "code that writes a table",
    }
)

# Lifecycle relations store their inverse too, so that "outgoing" leads from old to new.
INVERSES = MappingProxyType(
    {
        "supersedes": "superseded_by",
        "superseded_by": "supersedes",
        "replaces": "replaced_by",
        "replaced_by": "replaces",
        "obsoletes": "obsoleted_by",
        "obsoleted_by": "obsoletes",
        "updates": "updated_by",
        "updated_by": "updates",
    }
)

CONTAINS = "contains"
SHARES_ENTITY = "shares_entity"
# Relations that a claim and an offer can make.
MINED_FROM = frozenset(RELATIONS) - {CONTAINS, SHARES_ENTITY}
