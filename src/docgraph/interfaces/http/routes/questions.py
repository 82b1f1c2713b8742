"""POST /v1/search, /v1/plans, /v1/plans/execute, /v1/retrieve: a question up to its context."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Discriminator, Tag
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import (
    PassthroughJson,
    PipelineField,
    PlanBody,
    RetrieveBody,
    SearchBody,
    Strict,
    as_loaded,
    has_format,
)
from docgraph.interfaces.http.responses import (
    ExecutePlanResponse,
    PlanResponse,
    RetrieveResponse,
    SearchResponse,
    as_json,
)
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.errors import BadInput
from docgraph.pipeline.receipt import Receipt, receipt_of
from docgraph.pipeline.retrieval import SavedPlan, plan_from_json

router = APIRouter(route_class=AuthenticatedRoute, tags=["questions"])


@router.post("/v1/search", response_model=SearchResponse, **operation_docs("search", 404, 409))
async def search(body: SearchBody, context: CurrentRequest) -> Response:
    """Find seeds: ids and scores, never text."""

    def respond() -> SearchResponse:
        result = context.engine.questions.search(context.question_request(body))
        states = context.source_states(result)
        return SearchResponse(result.seeds, result.scope.snapshots, result.embeddings, states)

    return await context.answer(respond)


@router.post(
    "/v1/plans", response_model=SavedPlan | PlanResponse, **operation_docs("plan", 404, 409)
)
async def plan(body: PlanBody, context: CurrentRequest) -> Response:
    """Select the documents that may be read. Reads no text.

    The plan is byte for byte that of `docgraph plan --json`. With `receipt`, both are returned.
    """

    def respond() -> bytes:
        result = context.engine.questions.plan(context.question_request(body))
        saved = result.to_saved_plan()
        if body.receipt:
            return as_json(PlanResponse(saved, receipt_of(result)))
        return saved.to_json().encode()

    return Response(await context.work(respond), media_type="application/json")


class ExecutePlanBody(Strict):
    """A plan with another pipeline than its own; or what `/v1/plans` gave with a receipt, which
    is not read."""

    plan: Annotated[Any, PassthroughJson(SavedPlan)]
    pipeline: PipelineField | None = None
    receipt: Annotated[Any, PassthroughJson(Receipt)] = None


# A plan has a format, and the other body has none.
PlanOrBody = Annotated[
    Annotated[Any, PassthroughJson(SavedPlan), Tag("plan")]
    | Annotated[ExecutePlanBody, Tag("body")],
    Discriminator(has_format("plan", "body")),
    Body(),
]


@router.post(
    "/v1/plans/execute",
    response_model=ExecutePlanResponse,
    **operation_docs("execute_plan", 404, 409),
)
async def execute_plan(given: PlanOrBody, context: CurrentRequest) -> Response:
    """Execute a plan, as `/v1/plans` or `docgraph plan` gave it, on its own snapshots, with the
    rights you have now."""
    pipelines = context.state.pipelines
    body = given if isinstance(given, ExecutePlanBody) else ExecutePlanBody(plan=given)

    def respond() -> ExecutePlanResponse:
        saved = plan_from_json(json.dumps(body.plan))
        if body.pipeline is None and saved.pipeline not in pipelines.named:
            raise BadInput(
                f"this plan was made with a pipeline called {saved.pipeline!r}, which this server "
                'does not have; send both: {"plan": …, "pipeline": …}'
            )
        named = saved.pipeline if body.pipeline is None else as_loaded(body.pipeline)
        pipeline = pipelines.checked(pipelines.find(named))
        result = context.engine.questions.execute(context.principal, saved, pipeline)
        page = result.context
        return ExecutePlanResponse(page, page.digest, saved.edited, result.embeddings)

    return await context.answer(respond)


@router.post(
    "/v1/retrieve", response_model=RetrieveResponse, **operation_docs("retrieve", 404, 409)
)
async def retrieve(body: RetrieveBody, context: CurrentRequest) -> Response:
    """Give the context of a question, within its token budget."""

    def respond() -> RetrieveResponse:
        result = context.engine.questions.retrieve(context.question_request(body))
        return RetrieveResponse(
            result.context,
            result.context.digest,
            result.plan.digest,
            result.scope.snapshots,
            receipt_of(result) if body.receipt else None,
            result.embeddings,
            context.source_states(result),
        )

    return await context.answer(respond)
