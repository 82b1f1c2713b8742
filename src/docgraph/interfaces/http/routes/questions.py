"""POST /v1/search: the seeds of a question."""

import json
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import (
    Asked,
    AskedContext,
    AskedPipeline,
    AskedQuestion,
    Kept,
    Strict,
    Text,
    given,
)
from docgraph.interfaces.http.responses import ExecutedPlan, FoundContext, FoundPlan, FoundSeeds
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.retrieval import SavedPlan, plan_from_json

router = APIRouter(route_class=AuthenticatedRoute, tags=["questions"])


class AskedSearch(Asked):
    question: Annotated[Text, Field(min_length=1)]


@router.post("/v1/search", response_model=FoundSeeds, **operation_docs("search", 404, 409))
async def search(asked: AskedSearch, call: CurrentRequest) -> Response:
    """Find seeds: ids and scores, never text."""

    def found() -> FoundSeeds:
        pipeline = call.house.pipelines.chosen(given(asked.pipeline), top=asked.top)
        done = call.engine.questions.retrieve(
            call.principal, asked.question, pipeline.up_to(Seeds), wanted=asked.wanted
        )
        return FoundSeeds(done.seeds, done.scope.snapshots)

    return await call.answer(found)


# POST /v1/plans: which documents may speak. POST /v1/plans/execute: what they say.


class AskedPlan(AskedQuestion):
    receipt: bool = False


class PlanToExecute(Strict):
    """`plan` as `/v1/plans` gave it; another pipeline than its own may be named."""

    plan: Annotated[Any, Kept(SavedPlan)]
    pipeline: AskedPipeline | None = None


@router.post("/v1/plans", response_model=FoundPlan, **operation_docs("plan", 404, 409))
async def plan(asked: AskedPlan, call: CurrentRequest) -> Response:
    """Decide which documents may speak. Reads no text."""

    def found() -> FoundPlan:
        pipeline = call.house.pipelines.chosen(given(asked.pipeline), top=asked.top)
        done = call.engine.questions.retrieve(
            call.principal,
            asked.question,
            pipeline.up_to(RetrievalPlan),
            seeds=asked.seeds,
            wanted=asked.wanted,
        )
        receipt = receipt_of(done, call.principal, asked.seeds) if asked.receipt else None
        return FoundPlan(done.saved(), receipt)

    return await call.answer(found)


@router.post(
    "/v1/plans/execute", response_model=ExecutedPlan, **operation_docs("execute_plan", 404, 409)
)
async def execute_plan(asked: PlanToExecute, call: CurrentRequest) -> Response:
    """Execute a plan, on its own snapshots, with the rights you have now."""

    def found() -> ExecutedPlan:
        saved = plan_from_json(json.dumps(asked.plan))
        if asked.pipeline is None and saved.pipeline not in call.house.pipelines.named:
            raise BadInput(
                f"this plan was made with a pipeline called {saved.pipeline!r}, which this server "
                "does not have; send it as `pipeline`"
            )
        named = saved.pipeline if asked.pipeline is None else given(asked.pipeline)
        done = call.engine.questions.execute(
            call.principal, saved, call.house.pipelines.chosen(named)
        )
        return ExecutedPlan(done.context, done.context.digest, saved.edited)

    return await call.answer(found)


# POST /v1/retrieve: what a language model would get to read.


class AskedRetrieval(AskedContext):
    receipt: bool = False


@router.post("/v1/retrieve", response_model=FoundContext, **operation_docs("retrieve", 404, 409))
async def retrieve(asked: AskedRetrieval, call: CurrentRequest) -> Response:
    """Give the context of a question, within its token budget."""

    def found() -> FoundContext:
        pipeline = call.house.pipelines.chosen(
            given(asked.pipeline), top=asked.top, max_tokens=asked.max_tokens
        )
        done = call.engine.questions.retrieve(
            call.principal, asked.question, pipeline, seeds=asked.seeds, wanted=asked.wanted
        )
        receipt = receipt_of(done, call.principal, asked.seeds) if asked.receipt else None
        context = done.context
        return FoundContext(
            context, context.digest, done.plan.digest, done.scope.snapshots, receipt
        )

    return await call.answer(found)
