"""POST /v1/plans: which documents may speak. POST /v1/plans/execute: what they say."""

import json
from typing import Annotated, Any

from starlette.responses import Response

from docgraph.doors.http.answers import ExecutedPlan, FoundPlan
from docgraph.doors.http.asked import AskedPipeline, AskedQuestion, Kept, Strict, given
from docgraph.doors.http.call import Calling
from docgraph.doors.http.described import described
from docgraph.doors.http.search import router
from docgraph.model.errors import BadInput
from docgraph.model.plan import RetrievalPlan
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.saved_plan import SavedPlan, plan_from_json



class AskedPlan(AskedQuestion):
    receipt: bool = False


class PlanToExecute(Strict):
    """`plan` as `/v1/plans` gave it; another pipeline than its own may be named."""

    plan: Annotated[Any, Kept(SavedPlan)]
    pipeline: AskedPipeline | None = None


@router.post("/v1/plans", response_model=FoundPlan, **described("plan", 404, 409))
async def plan(asked: AskedPlan, call: Calling) -> Response:
    """Decide which documents may speak. Reads no text."""

    def found() -> FoundPlan:
        pipeline = call.house.pipelines.chosen(given(asked.pipeline), top=asked.top)
        done = call.engine.retrieve(
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
    "/v1/plans/execute", response_model=ExecutedPlan, **described("execute_plan", 404, 409)
)
async def execute_plan(asked: PlanToExecute, call: Calling) -> Response:
    """Execute a plan, on its own snapshots, with the rights you have now."""

    def found() -> ExecutedPlan:
        saved = plan_from_json(json.dumps(asked.plan))
        if asked.pipeline is None and saved.pipeline not in call.house.pipelines.named:
            raise BadInput(
                f"this plan was made with a pipeline called {saved.pipeline!r}, which this server "
                "does not have; send it as `pipeline`"
            )
        named = saved.pipeline if asked.pipeline is None else given(asked.pipeline)
        done = call.engine.execute(call.principal, saved, call.house.pipelines.chosen(named))
        return ExecutedPlan(done.context, done.context.digest, saved.edited)

    return await call.answer(found)
