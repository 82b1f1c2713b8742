"""Relations as people name them: which to list, and what to write beside their own."""

from docgraph.model.edge import Evidence
from docgraph.model.errors import BadInput
from docgraph.model.identity import path_of
from docgraph.model.relation import RELATIONS
from docgraph.model.would_fit import would_fit


def only_type(relation: str | None) -> frozenset[str] | None:
    """None: every type but `contains`."""
    if relation is None:
        return None
    if relation not in RELATIONS:
        raise BadInput(f"no relation is called {relation!r}; {would_fit(relation, RELATIONS)}")
    return frozenset({relation})


def noted(source: str, note: str) -> tuple[Evidence, ...]:
    """Why a relation holds, kept as its evidence."""
    return (Evidence(path_of(source), 1, 0, 0, 0, note),) if note else ()
