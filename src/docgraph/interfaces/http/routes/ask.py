"""POST /v1/ask: an answer that cites, piece by piece as it comes, or whole."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from docgraph.interfaces.http.openapi import operation_docs
from docgraph.interfaces.http.problems import request_id
from docgraph.interfaces.http.requests import AskedContext, given
from docgraph.interfaces.http.responses import FoundAnswer
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


class AskedAnswer(AskedContext):
    receipt: bool = False


def _described() -> dict[str, Any]:
    """Two kinds of answer; of a stream the shape of each event is told."""
    found = operation_docs("ask", 404, 409, 502)
    found["responses"][200] = {"content": {MEDIA_TYPE: {"schema": EVENT, "example": PIECE}}}
    return found


@router.post("/v1/ask", response_model=FoundAnswer, **_described())
async def ask(asked: AskedAnswer, call: CurrentRequest) -> Response:
    """Answer a question, with citations.

    As server-sent events: `piece` for each piece of text as the model says it, then `answer`, or
    `problem` where it breaks off. With `Accept: application/json` the answer comes whole.
    """
    seconds = call.house.settings.answer_time
    if not wants_events(call.request):
        return await call.answer(
            lambda: answered(asked, call), workers=call.house.answers, seconds=seconds
        )
    waiting = Deadline(seconds)
    events = Events(waiting, request_id(call.request))

    def work() -> None:
        found = answered(asked, call, lambda piece: events.tell("piece", {"text": piece}))
        events.tell("answer", found)

    call.house.answers.submit(lambda: events.carry_out(work), call.holder)
    timer = asyncio.get_running_loop().call_later(seconds, waiting.expire)
    first = await wait_or_disconnect(events.first(), waiting, call.request, seconds)
    return AnswerStream(events.heard(first), waiting, timer)


class AnswerStream(StreamingResponse):
    """Where its client leaves, the work ends."""

    def __init__(
        self, events: AsyncIterator[bytes], waiting: Deadline, timer: asyncio.TimerHandle
    ) -> None:
        super().__init__(events, media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})
        self._waiting = waiting
        self._timer = timer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._timer.cancel()
            self._waiting.cancel()


def wants_events(request: Request) -> bool:
    """Unless JSON is all that is asked for."""
    kinds = [
        part.partition(";")[0].strip().lower()
        for line in request.headers.getlist("accept")
        for part in line.split(",")
    ]
    return "application/json" not in kinds or MEDIA_TYPE in kinds


def answered(
    asked: AskedAnswer, call: RequestContext, heard: Callable[[str], None] = lambda _: None
) -> FoundAnswer:
    pipeline = call.house.pipelines.chosen(
        given(asked.pipeline), top=asked.top, max_tokens=asked.max_tokens
    )
    done = call.engine.questions.ask(
        call.principal,
        asked.question,
        pipeline,
        seeds=asked.seeds,
        wanted=asked.wanted,
        on_text=heard,
    )
    receipt = receipt_of(done, call.principal, asked.seeds) if asked.receipt else None
    return FoundAnswer(
        done.answer,
        done.answer.digest,
        done.context.digest,
        done.plan.digest,
        done.scope.snapshots,
        receipt,
    )
