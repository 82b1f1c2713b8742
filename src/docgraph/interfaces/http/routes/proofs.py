"""POST /v1/explain: why each item of a context is there; or, of one node, why it is or is not."""

import json
from typing import Annotated, Any

from fastapi import APIRouter
from starlette.responses import Response

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.requests import AskedContext, Kept, NodeId, Strict, given
from docgraph.interfaces.http.responses import (
    CheckedReceipt,
    Explained,
    ExplainedItem,
    ReplayedReceipt,
)
from docgraph.interfaces.http.server.request_context import AuthenticatedRoute, CurrentRequest
from docgraph.model.context import Context
from docgraph.model.explanation import Explanation
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.receipt_check import find_receipt_problems
from docgraph.pipeline.replay import ReplayResult
from docgraph.pipeline.retrieval import Retrieval

router = APIRouter(route_class=AuthenticatedRoute, tags=["proofs"])


class AskedWhy(AskedContext):
    """With a `node`: a document, section, symbol or chunk by id, or a document by path."""

    node: NodeId | None = None


@router.post(
    "/v1/explain", response_model=Explained | Explanation, **operation_docs("explain", 404, 409)
)
async def explain(asked: AskedWhy, call: CurrentRequest) -> Response:
    """Tell why each item is there; with a `node`, where that one stands and what lets it in."""

    def found() -> Explained | Explanation:
        pipeline = call.house.pipelines.chosen(
            given(asked.pipeline), top=asked.top, max_tokens=asked.max_tokens
        )
        if asked.node is not None:
            return call.engine.questions.why(
                call.principal,
                asked.question,
                asked.node,
                pipeline,
                seeds=asked.seeds,
                wanted=asked.wanted,
            )
        done = call.engine.questions.retrieve(
            call.principal, asked.question, pipeline, seeds=asked.seeds, wanted=asked.wanted
        )
        return explained(done)

    return await call.answer(found)


def explained(done: Retrieval) -> Explained:
    context, plan = done.context, done.plan
    return Explained(
        question=context.question,
        items=tuple(
            ExplainedItem(item.id, item.layer, item.number, item.why, item.location)
            for item in context.items
        ),
        omitted=context.omitted,
        cut=plan.cut,
        selection=plan.constraints.selection,
        reason=context.reason,
        trace=done.run.trace,
    )


# POST /v1/receipts/replay: does a receipt still give the same bytes?


class ReceiptToReplay(Strict):
    """With `check`, the receipt is only held against itself."""

    receipt: Annotated[Any, Kept(Receipt)]
    check: bool = False


@router.post(
    "/v1/receipts/replay",
    response_model=ReplayedReceipt | CheckedReceipt,
    **operation_docs("replay_receipt", 404, 409),
)
async def replay_receipt(asked: ReceiptToReplay, call: CurrentRequest) -> Response:
    """Do the recorded steps again, with the rights you have now, and compare."""

    def found() -> ReplayedReceipt | CheckedReceipt:
        receipt = receipt_from_json(json.dumps(asked.receipt))
        if asked.check:
            problems = find_receipt_problems(receipt)
            return CheckedReceipt(not problems, problems)
        return replayed(call.engine.questions.replay(call.principal, receipt))

    return await call.answer(found)


def replayed(found: ReplayResult) -> ReplayedReceipt:
    again = found.again
    return ReplayedReceipt(
        same=found.same,
        difference=found.difference,
        notes=found.notes,
        steps=found.steps,
        plan=again.plan if again else None,
        context=again.run.values.get(Context) if again else None,
    )
