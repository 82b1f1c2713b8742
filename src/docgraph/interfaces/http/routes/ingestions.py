"""/v1/ingestions: asked for now, done later; poll how far it is."""

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from docgraph.ingest.miners.registry import miners_without
from docgraph.ingest.result import Progress
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
from docgraph.model.errors import BadInput, NotAllowed
from docgraph.model.ingest_job import IngestJob, IngestJobRequest, JobState

# How far an ingestion is, as whoever asked for it is told.


@dataclass(frozen=True, slots=True)
class IngestionStatus:
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
class ListedIngestions:
    ingestions: tuple[IngestionStatus, ...]


def status_of(found: IngestJob) -> IngestionStatus:
    return IngestionStatus(
        id=found.id,
        state=found.state,
        attempts=found.attempts,
        created=found.created,
        updated=found.updated,
        request=found.request,
        progress=json.loads(found.progress) if found.progress else None,
        result=json.loads(found.result) if found.result else None,
        error=found.error,
    )


router = APIRouter(route_class=AuthenticatedRoute, tags=["ingestions"])
MOST_NAMES = 100
Names = Annotated[list[Name], Field(max_length=MOST_NAMES)]


class NewIngestion(Strict):
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
    response_model=IngestionStatus,
    **operation_docs("add_ingestion", 404, status=202),
)
async def add_ingestion(new: NewIngestion, call: CurrentRequest) -> Response:
    """Ask for a folder, a file or a commit of a git repository to be taken in.

    Needs the right `ingest`. `Location` says where to ask how far it is.
    """
    found = await call.work(lambda: _added(new, call))
    if call.house.runner is not None:
        call.house.runner.wake()
    headers = {"Location": f"/v1/ingestions/{quote(found.id)}"}
    body = as_json(status_of(found))
    return Response(body, 202, headers, media_type="application/json")


@router.get(
    "/v1/ingestions",
    response_model=ListedIngestions,
    **operation_docs("list_ingestions", body=False),
)
async def list_ingestions(
    query: Annotated[IngestionsQuery, Query()], call: CurrentRequest
) -> Response:
    """List the ingestions that you asked for, the newest first."""
    return await call.answer(
        lambda: ListedIngestions(
            tuple(map(status_of, call.engine.jobs.list_jobs(call.principal, query.last)))
        )
    )


@router.get(
    "/v1/ingestions/{id}",
    response_model=IngestionStatus,
    **operation_docs("get_ingestion", 404, body=False),
)
async def get_ingestion(
    call: CurrentRequest,
    id: Annotated[Name, Path(description="As the request for it was answered.")],  # noqa: A002
) -> Response:
    """How far an ingestion of yours is."""
    return await call.answer(lambda: status_of(call.engine.jobs.get(call.principal, id)))


def _added(new: NewIngestion, call: RequestContext) -> IngestJob:
    request = IngestJobRequest(
        path=new.path,
        repository=new.repository or _called(new.path),
        branch=new.branch,
        ref=new.ref,
        readers=None if new.readers is None else tuple(new.readers),
        labels=tuple(new.labels),
        level=new.level,
        without=tuple(new.without),
    )

    def is_there(asked: IngestJobRequest) -> bool:
        if not call.house.roots:
            raise NotAllowed("this server ingests nothing: no folder is named as one of its roots")
        _check(asked, call.principal.tenant)
        place = call.house.roots.find(asked.path, call.principal.tenant)
        if place is not None:
            check_parent_access_rules(place)
        return place is not None

    return call.engine.jobs.add(call.principal, request, is_there)


def _check(asked: IngestJobRequest, tenant: str) -> None:
    """What can be known to be wrong now need not be tried later."""
    access_options(tenant, asked.readers or (), asked.labels, asked.level)
    miners_without(asked.without)
    for name in (asked.repository, asked.branch):
        if name is not None and not (
            name.strip() and name.isprintable() and len(name) <= LONGEST_NAME
        ):
            raise BadInput(f"{name!r} cannot name a repository or branch")


def _called(path: str) -> str:
    """As the last part of the path, without `.git`."""
    name = PurePosixPath(path).name.removesuffix(".git")
    if not name:
        raise BadInput("nothing to call it by; name its `repository`")
    return name
