"""POST /v1/retrieve: what a language model would get to read."""

from starlette.responses import Response

from docgraph.doors.http.answers import FoundContext
from docgraph.doors.http.asked import AskedContext, given
from docgraph.doors.http.call import Calling
from docgraph.doors.http.described import described
from docgraph.doors.http.search import router
from docgraph.pipeline.receipt import receipt_of



class AskedRetrieval(AskedContext):
    receipt: bool = False


@router.post("/v1/retrieve", response_model=FoundContext, **described("retrieve", 404, 409))
async def retrieve(asked: AskedRetrieval, call: Calling) -> Response:
    """Give the context of a question, within its token budget."""

    def found() -> FoundContext:
        pipeline = call.house.pipelines.chosen(
            given(asked.pipeline), top=asked.top, max_tokens=asked.max_tokens
        )
        done = call.engine.retrieve(
            call.principal, asked.question, pipeline, seeds=asked.seeds, wanted=asked.wanted
        )
        receipt = receipt_of(done, call.principal, asked.seeds) if asked.receipt else None
        context = done.context
        return FoundContext(
            context, context.digest, done.plan.digest, done.scope.snapshots, receipt
        )

    return await call.answer(found)
