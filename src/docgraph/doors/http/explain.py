"""POST /v1/explain: why each item of a context is there; or, of one node, why it is or is not."""

from fastapi import APIRouter
from starlette.responses import Response

from docgraph.doors.http.answers import Explained, ExplainedItem
from docgraph.doors.http.asked import AskedContext, NodeId, given
from docgraph.doors.http.call import Calling
from docgraph.doors.http.described import described
from docgraph.doors.http.known_route import KnownRoute
from docgraph.model.why_not import WhyNot
from docgraph.pipeline.retrieval import Retrieval

router = APIRouter(route_class=KnownRoute, tags=["proofs"])


class AskedWhy(AskedContext):
    """With a `node`: a document, section, symbol or chunk by id, or a document by path."""

    node: NodeId | None = None


@router.post("/v1/explain", response_model=Explained | WhyNot, **described("explain", 404, 409))
async def explain(asked: AskedWhy, call: Calling) -> Response:
    """Tell why each item is there; with a `node`, where that one stands and what lets it in."""

    def found() -> Explained | WhyNot:
        pipeline = call.house.pipelines.chosen(
            given(asked.pipeline), top=asked.top, max_tokens=asked.max_tokens
        )
        if asked.node is not None:
            return call.engine.why(
                call.principal,
                asked.question,
                asked.node,
                pipeline,
                seeds=asked.seeds,
                wanted=asked.wanted,
            )
        done = call.engine.retrieve(
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
