"""POST /v1/explain and /v1/receipts/replay: reasons of a context, and proofs of it."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Discriminator, Tag
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import ExplainBody, PassthroughJson, Strict, has_format
from docgraph.interfaces.http.responses import (
    ExplainResponse,
    ExplainResponseItem,
    ReceiptCheckResponse,
    ReplayResponse,
)
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.context import Context
from docgraph.model.explanation import Explanation
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.receipt_check import find_receipt_problems
from docgraph.pipeline.replay import ReplayResult
from docgraph.pipeline.retrieval import Retrieval

router = APIRouter(route_class=AuthenticatedRoute, tags=["proofs"])


@router.post(
    "/v1/explain",
    response_model=ExplainResponse | Explanation,
    **operation_docs("explain", 404, 409),
)
async def explain(body: ExplainBody, context: CurrentRequest) -> Response:
    """Tell why each item is there; with a `node`, where it was left out and what includes it."""

    def respond() -> ExplainResponse | Explanation:
        request = context.question_request(body)
        if body.node is not None:
            return context.engine.questions.why(request, body.node)
        return reasons_of(context.engine.questions.retrieve(request))

    return await context.answer(respond)


def reasons_of(result: Retrieval) -> ExplainResponse:
    context, plan = result.context, result.plan
    return ExplainResponse(
        question=context.question,
        items=tuple(
            ExplainResponseItem(item.id, item.layer, item.number, item.why, item.location)
            for item in context.items
        ),
        omitted=context.omitted,
        cut=plan.cut,
        selection=plan.constraints.selection,
        reason=context.reason,
        trace=result.run.trace,
    )


class ReplayBody(Strict):
    """With `check`, the receipt is only held against itself."""

    receipt: Annotated[Any, PassthroughJson(Receipt)]
    check: bool = False


# A receipt has a format, and the other body has none.
ReceiptOrBody = Annotated[
    Annotated[Any, PassthroughJson(Receipt), Tag("receipt")] | Annotated[ReplayBody, Tag("body")],
    Discriminator(has_format("receipt", "body")),
    Body(),
]


@router.post(
    "/v1/receipts/replay",
    response_model=ReplayResponse | ReceiptCheckResponse,
    **operation_docs("replay_receipt", 404, 409),
)
async def replay_receipt(given: ReceiptOrBody, context: CurrentRequest) -> Response:
    """Do the recorded steps again, with the rights you have now, and compare. A receipt is taken
    as the file that `docgraph` wrote, too."""
    body = given if isinstance(given, ReplayBody) else ReplayBody(receipt=given)

    def respond() -> ReplayResponse | ReceiptCheckResponse:
        receipt = receipt_from_json(json.dumps(body.receipt))
        if body.check:
            problems = find_receipt_problems(receipt)
            return ReceiptCheckResponse(not problems, problems)
        context.state.pipelines.check_limits([(s.action, dict(s.options)) for s in receipt.steps])
        return replay_response(context.engine.questions.replay(context.principal, receipt))

    return await context.answer(respond)


def replay_response(result: ReplayResult) -> ReplayResponse:
    again = result.again
    return ReplayResponse(
        same=result.same,
        difference=result.difference,
        notes=result.notes,
        steps=result.steps,
        plan=again.plan if again else None,
        context=again.run.values.get(Context) if again else None,
    )
