"""/v1/relations: list them page by page, add and remove your own."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import HIGHEST, Name, NodeId, OfQuery, Strict, Text
from docgraph.interfaces.http.responses import ListedRelations, NewSnapshot
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.interfaces.inputs import manual_evidence, relation_filter
from docgraph.model.edge import Edge
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector

router = APIRouter(route_class=AuthenticatedRoute, tags=["relations"])
MOST = 1_000


class RelationsQuery(OfQuery):
    """`node` leaves those that touch it, or any part of it; `type` those of one type."""

    node: NodeId | None = None
    type: Name | None = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = 100
    offset: Annotated[int, Field(ge=0, le=HIGHEST)] = 0


class NewRelation(Strict):
    """`note` says why it holds; `branch` is the one to write."""

    source: NodeId
    relation: Name
    target: NodeId
    note: Annotated[Text, Field(max_length=1_000)] = ""
    branch: Name | None = None


class OldRelation(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    source: NodeId
    relation: Name
    target: NodeId
    branch: Name | None = None


@router.get(
    "/v1/relations",
    response_model=ListedRelations,
    **operation_docs("list_relations", 404, body=False),
)
async def list_relations(
    query: Annotated[RelationsQuery, Query()], call: CurrentRequest
) -> Response:
    """List relations, each with its origins and the lines that show it; sorted by source,
    relation and target. Pages stay the same as long as they are of the same snapshot."""

    def found() -> ListedRelations:
        only = relation_filter(query.type)
        chosen = call.engine.content.relations(call.principal, query.wanted, only, query.node)
        end = query.offset + query.limit
        return ListedRelations(
            chosen[query.offset : end], len(chosen), end if end < len(chosen) else None
        )

    return await call.answer(found)


@router.post(
    "/v1/relations",
    response_model=NewSnapshot,
    **operation_docs("add_relation", 404, 409, status=201),
)
async def add_relation(new: NewRelation, call: CurrentRequest) -> Response:
    """Add a relation by hand, as a new snapshot; of one that is there already, change the note.

    Needs the right `relations`.
    """

    def found() -> NewSnapshot:
        edge = Edge(new.source, new.relation, new.target)
        evidence = manual_evidence(new.source, new.note)
        return NewSnapshot(
            call.engine.content.add_relation(call.principal, edge, evidence, _home(new.branch))
        )

    return await call.answer(found, status=201)


@router.delete(
    "/v1/relations",
    response_model=NewSnapshot,
    **operation_docs("remove_relation", 404, 409, body=False),
)
async def remove_relation(old: Annotated[OldRelation, Query()], call: CurrentRequest) -> Response:
    """Remove a relation made by hand, as a new snapshot. Needs the right `relations`."""

    def found() -> NewSnapshot:
        edge = Edge(old.source, old.relation, old.target)
        return NewSnapshot(
            call.engine.content.remove_relation(call.principal, edge, _home(old.branch))
        )

    return await call.answer(found)


def _home(branch: str | None) -> tuple[SnapshotSelector, ...]:
    return ALL_REPOSITORIES if branch is None else (SnapshotSelector(None, branch, None),)
