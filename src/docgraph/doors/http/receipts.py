"""POST /v1/receipts/replay: does a receipt still give the same bytes?"""

import json
from typing import Annotated, Any

from starlette.responses import Response

from docgraph.doors.http.answers import CheckedReceipt, ReplayedReceipt
from docgraph.doors.http.asked import Kept, Strict
from docgraph.doors.http.call import Calling
from docgraph.doors.http.described import described
from docgraph.doors.http.explain import router
from docgraph.model.context import Context
from docgraph.pipeline.receipt import Receipt, receipt_from_json
from docgraph.pipeline.receipt_problems import problems_of
from docgraph.pipeline.replayed import Replayed



class ReceiptToReplay(Strict):
    """With `check`, the receipt is only held against itself."""

    receipt: Annotated[Any, Kept(Receipt)]
    check: bool = False


@router.post(
    "/v1/receipts/replay",
    response_model=ReplayedReceipt | CheckedReceipt,
    **described("replay_receipt", 404, 409),
)
async def replay_receipt(asked: ReceiptToReplay, call: Calling) -> Response:
    """Do the recorded steps again, with the rights you have now, and compare."""

    def found() -> ReplayedReceipt | CheckedReceipt:
        receipt = receipt_from_json(json.dumps(asked.receipt))
        if asked.check:
            problems = problems_of(receipt)
            return CheckedReceipt(not problems, problems)
        return replayed(call.engine.replay(call.principal, receipt))

    return await call.answer(found)


def replayed(found: Replayed) -> ReplayedReceipt:
    again = found.again
    return ReplayedReceipt(
        same=found.same,
        difference=found.difference,
        notes=found.notes,
        steps=found.steps,
        plan=again.plan if again else None,
        context=again.run.values.get(Context) if again else None,
    )
