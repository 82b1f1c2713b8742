"""POST /v1/ask: an answer with citations, as a stream of events or as JSON."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.problems import request_id
from docgraph.interfaces.http.requests import AskBody
from docgraph.interfaces.http.responses import AnswerResponse
from docgraph.interfaces.http.server.event_stream import EVENT, MEDIA_TYPE, PIECE, Events
from docgraph.interfaces.http.server.request_context import (
    AuthenticatedRoute,
    CurrentRequest,
    RequestContext,
    wait_or_disconnect,
)
from docgraph.pipeline.receipt import receipt_of
from docgraph.ports.cancellation import Deadline

router = APIRouter(route_class=AuthenticatedRoute, tags=["questions"])


def _operation_docs() -> dict[str, Any]:
    """Two kinds of response: JSON, and a stream of events, of which the schema is that of one."""
    docs = operation_docs("ask", 404, 409, 502)
    docs["responses"][200] = {"content": {MEDIA_TYPE: {"schema": EVENT, "example": PIECE}}}
    return docs


@router.post("/v1/ask", response_model=AnswerResponse, **_operation_docs())
async def ask(body: AskBody, context: CurrentRequest) -> Response:
    """Answer a question, with citations.

    As server-sent events: `piece` for each piece of text as the model says it, then `answer`, or
    `problem` where it breaks off. With `Accept: application/json` the answer comes whole.
    """
    seconds = context.state.settings.answer_time
    if not wants_events(context.request):
        return await context.answer(
            lambda: answer(body, context), workers=context.state.answers, seconds=seconds
        )
    deadline = Deadline(seconds)
    events = Events(deadline, request_id(context.request))

    def work() -> None:
        result = answer(body, context, lambda piece: events.send("piece", {"text": piece}))
        events.send("answer", result)

    running = context.state.answers.submit(lambda: events.run(work), context.user_key)
    timer = asyncio.get_running_loop().call_later(seconds, deadline.expire)
    try:
        first = await wait_or_disconnect(events.first(), deadline, context.request, seconds)
    except BaseException:
        timer.cancel()
        running.cancel()  # where it waits, nobody waits for it any more
        raise
    return AnswerStream(events.stream(first), deadline, timer)


class AnswerStream(StreamingResponse):
    """Where its client disconnects, the work is cancelled."""

    def __init__(
        self, events: AsyncIterator[bytes], deadline: Deadline, timer: asyncio.TimerHandle
    ) -> None:
        super().__init__(events, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})
        self._deadline = deadline
        self._timer = timer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._timer.cancel()
            self._deadline.cancel()


def wants_events(request: Request) -> bool:
    """Unless JSON is the only type that is accepted."""
    kinds = [
        part.partition(";")[0].strip().lower()
        for line in request.headers.getlist("accept")
        for part in line.split(",")
    ]
    return "application/json" not in kinds or MEDIA_TYPE in kinds


def answer(
    body: AskBody, context: RequestContext, on_text: Callable[[str], None] = lambda _: None
) -> AnswerResponse:
    result = context.engine.questions.ask(context.question_request(body), on_text=on_text)
    return AnswerResponse(
        result.answer,
        result.embeddings,
        result.answer.digest,
        result.context.digest,
        result.plan.digest,
        result.scope.snapshots,
        receipt_of(result) if body.receipt else None,
        context.source_states(result),
    )
