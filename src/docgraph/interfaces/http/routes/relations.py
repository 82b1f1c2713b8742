"""/v1/relations: list them page by page, add and remove your own."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import HIGHEST, Name, NodeId, ScopeQuery, Strict, Text
from docgraph.interfaces.http.responses import RelationsResponse, SnapshotResponse, as_json
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.interfaces.inputs import manual_evidence, relation_filter
from docgraph.model.edge import Edge
from docgraph.pipeline.request import snapshot_selectors

router = APIRouter(route_class=AuthenticatedRoute, tags=["relations"])
MOST = 1_000


class RelationsQuery(ScopeQuery):
    """`node` leaves those that touch it, or any part of it; `type` those of one type."""

    node: NodeId | None = None
    type: Name | None = None
    limit: Annotated[int, Field(ge=1, le=MOST)] = 100
    offset: Annotated[int, Field(ge=0, le=HIGHEST)] = 0


class AddRelationBody(Strict):
    """`note` says why it holds; `branch` is the one to write."""

    source: NodeId
    relation: Name
    target: NodeId
    note: Annotated[Text, Field(max_length=1_000)] = ""
    branch: Name | None = None


class RelationQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    source: NodeId
    relation: Name
    target: NodeId
    branch: Name | None = None


@router.get(
    "/v1/relations",
    response_model=RelationsResponse,
    **operation_docs("list_relations", 404, body=False),
)
async def list_relations(
    query: Annotated[RelationsQuery, Query()], context: CurrentRequest
) -> Response:
    """List relations, each with its origins and the lines that show it; sorted by source,
    relation and target. Pages stay the same as long as they are of the same snapshot."""

    def respond() -> RelationsResponse:
        only = relation_filter(query.type)
        page, total = context.engine.content.relation_page(
            context.principal,
            query.scope,
            only,
            query.node,
            offset=query.offset,
            limit=query.limit,
        )
        end = query.offset + query.limit
        return RelationsResponse(page, total, end if end < total else None)

    return await context.answer(respond)


@router.post(
    "/v1/relations",
    response_model=SnapshotResponse,
    **operation_docs("add_relation", 404, 409, status=201),
)
async def add_relation(body: AddRelationBody, context: CurrentRequest) -> Response:
    """Add a manual relation, as a new snapshot; of an existing one, change the note.

    Needs the right `relations`.
    """

    def respond() -> SnapshotResponse:
        edge = Edge(body.source, body.relation, body.target)
        evidence = manual_evidence(body.source, body.note)
        return SnapshotResponse(
            context.engine.content.add_relation(
                context.principal, edge, evidence, snapshot_selectors(branch=body.branch)
            )
        )

    made = await context.change(respond)
    return Response(as_json(made), status_code=201, media_type="application/json")


@router.delete(
    "/v1/relations",
    response_model=SnapshotResponse,
    **operation_docs("remove_relation", 404, 409, body=False),
)
async def remove_relation(
    query: Annotated[RelationQuery, Query()], context: CurrentRequest
) -> Response:
    """Remove a manual relation, as a new snapshot. Needs the right `relations`."""

    def respond() -> SnapshotResponse:
        edge = Edge(query.source, query.relation, query.target)
        return SnapshotResponse(
            context.engine.content.remove_relation(
                context.principal, edge, snapshot_selectors(branch=query.branch)
            )
        )

    made = await context.change(respond)
    return Response(as_json(made), media_type="application/json")
