"""The allow-list of relations that planning actions share: absent is all, empty is none."""

from collections.abc import Mapping

from docgraph.model.edge import Relationship
from docgraph.model.relation import RELATIONS
from docgraph.model.would_fit import would_fit


def known_relations(options: Mapping[str, object]) -> str | None:
    """An unknown relation is an error that names what would fit."""
    named = options.get("relations")
    for name in named if isinstance(named, tuple) else ():
        if name not in RELATIONS:
            return f"no relation is called {name!r}; {would_fit(name, RELATIONS)}"
    return None


def allowed(relations: tuple[str, ...] | None) -> frozenset[str] | None:
    """What a graph is asked for; None is every relation but `contains`, which takes no place."""
    return None if relations is None else frozenset(relations)


def first_place(relationship: Relationship) -> int:
    """Where the source first says so; a hand-made edge without a place comes first."""
    return min((evidence.start for evidence in relationship.evidence), default=-1)
