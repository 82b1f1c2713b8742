"""/v1/ingestions: requested now, done later; poll their state."""

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from docgraph.ingest.progress import Progress
from docgraph.interfaces.http.jobs.job_handler import IngestJobResult, check_parent_access_rules
from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import LONGEST_NAME, Name, NodeId, Strict
from docgraph.interfaces.http.responses import as_json
from docgraph.interfaces.http.server.request_context import (
    AuthenticatedRoute,
    CurrentRequest,
    RequestContext,
)
from docgraph.interfaces.inputs import access_options
from docgraph.model.errors import BadInput, NotAuthorized
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, JobState

# The state of an ingestion.


@dataclass(frozen=True, slots=True)
class IngestionResponse:
    """`progress` and `result` are null until there are any; `error` is empty unless it failed."""

    id: str
    state: JobState
    attempts: int
    created: str
    updated: str
    request: IngestJobRequest
    progress: Progress | None
    result: IngestJobResult | None
    error: str


@dataclass(frozen=True, slots=True)
class IngestionsResponse:
    ingestions: tuple[IngestionResponse, ...]


def status_of(job: IngestJob) -> IngestionResponse:
    return IngestionResponse(
        id=job.id,
        state=job.state,
        attempts=job.attempts,
        created=job.created,
        updated=job.updated,
        request=job.request,
        progress=json.loads(job.progress) if job.progress else None,
        result=json.loads(job.result) if job.result else None,
        error=job.error,
    )


router = APIRouter(route_class=AuthenticatedRoute, tags=["ingestions"])
MOST_NAMES = 100
Names = Annotated[list[Name], Field(max_length=MOST_NAMES)]


class IngestionBody(Strict):
    """`path` lies below one of the server's roots. Without `readers`, access.yaml and front matter
    say who may read; where nobody speaks, nobody may."""

    path: NodeId
    repository: Name | None = None
    branch: Name | None = None
    ref: Name | None = None
    readers: Annotated[Names | None, Field(min_length=1)] = None
    labels: Annotated[Names, Field(default_factory=list)]
    level: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    without: Annotated[Names, Field(default_factory=list)]


class IngestionsQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    last: Annotated[int, Field(ge=1, le=MOST_NAMES)] = 20


@router.post(
    "/v1/ingestions",
    response_model=IngestionResponse,
    **operation_docs("add_ingestion", 404, status=202),
)
async def add_ingestion(body: IngestionBody, context: CurrentRequest) -> Response:
    """Request the ingest of a folder, a file or a commit of a git repository.

    Needs the right `ingest`. `Location` says where to ask how far it is.
    """
    job = await context.change(lambda: _add(body, context))
    if context.state.runner is not None:
        context.state.runner.wake()
    headers = {"Location": f"/v1/ingestions/{quote(job.id)}"}
    return Response(as_json(status_of(job)), 202, headers, media_type="application/json")


@router.get(
    "/v1/ingestions",
    response_model=IngestionsResponse,
    **operation_docs("list_ingestions", body=False),
)
async def list_ingestions(
    query: Annotated[IngestionsQuery, Query()], context: CurrentRequest
) -> Response:
    """List the ingestions that you requested, the newest first."""
    return await context.answer(
        lambda: IngestionsResponse(
            tuple(map(status_of, context.engine.jobs.list_jobs(context.principal, query.last)))
        )
    )


@router.get(
    "/v1/ingestions/{id}",
    response_model=IngestionResponse,
    **operation_docs("get_ingestion", 404, body=False),
)
async def get_ingestion(
    context: CurrentRequest,
    id: Annotated[Name, Path(description="As the request for it was answered.")],  # noqa: A002
) -> Response:
    """How far an ingestion of yours is."""
    return await context.answer(lambda: status_of(context.engine.jobs.get(context.principal, id)))


def _add(body: IngestionBody, context: RequestContext) -> IngestJob:
    request = IngestJobRequest(
        path=body.path,
        repository=body.repository or _name_of(body.path),
        branch=body.branch,
        ref=body.ref,
        readers=None if body.readers is None else tuple(body.readers),
        labels=tuple(body.labels),
        level=body.level,
        without=tuple(body.without),
    )

    def is_there(request: IngestJobRequest) -> bool:
        if not context.state.roots:
            raise NotAuthorized(
                "this server ingests nothing: no folder is named as one of its roots"
            )
        _check(request, context.principal.tenant)
        context.engine.content.registries().miners.without(request.without)
        place = context.state.roots.find(request.path, context.principal.tenant)
        if place is not None:
            check_parent_access_rules(place)
        return place is not None

    return context.engine.jobs.add(context.principal, request, is_there)


def _check(request: IngestJobRequest, tenant: str) -> None:
    """A request that is known to be wrong now is refused now."""
    access_options(tenant, request.readers or (), request.labels, request.level)
    for name in (request.repository, request.branch):
        if name is not None and not (
            name.strip() and name.isprintable() and len(name) <= LONGEST_NAME
        ):
            raise BadInput(f"{name!r} cannot name a repository or branch")


def _name_of(path: str) -> str:
    """As the last part of the path, without `.git`."""
    name = PurePosixPath(path).name.removesuffix(".git")
    if not name:
        raise BadInput("nothing to context it by; name its `repository`")
    return name
