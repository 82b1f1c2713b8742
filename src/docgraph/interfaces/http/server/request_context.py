"""One authenticated request: its body is read strictly, its work runs in a worker."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import Depends, HTTPException
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from docgraph.engine import Engine
from docgraph.interfaces.auth.authentication import Authenticator
from docgraph.interfaces.http.problems import ChangeFailed
from docgraph.interfaces.http.requests import RequestBody
from docgraph.interfaces.http.responses import as_json
from docgraph.interfaces.http.server.app_state import AppState, app_state_of
from docgraph.interfaces.server.worker_pool import UserKey, WorkerPool, user_key
from docgraph.model.access import Principal
from docgraph.model.errors import Cancelled, DeadlineExceeded, StoreError
from docgraph.model.source_state import SourceState
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval
from docgraph.ports.cancellation import Deadline, deadline_scope

# Work in a thread, with a deadline, cancelled when the client disconnects.


T = TypeVar("T")
COMMIT_GRACE = 2.0  # seconds beyond the deadline for a change that is being committed


async def run_in_worker(
    work: Callable[[], T], workers: WorkerPool, key: UserKey, request: Request, seconds: float
) -> T:
    """The time counts from here, so that waiting in the queue is a part of it."""
    deadline = Deadline(seconds)

    def run() -> T:
        with deadline_scope(deadline):
            deadline.check()
            return work()

    done = asyncio.wrap_future(workers.submit(run, key))
    return await wait_or_disconnect(done, deadline, request, seconds)


async def wait_or_disconnect(
    awaited: Awaitable[T], deadline: Deadline, request: Request, seconds: float
) -> T:
    """A client that disconnects or has waited too long cancels the work."""
    done = asyncio.ensure_future(awaited)
    left = asyncio.create_task(client_disconnected(request))
    try:
        await asyncio.wait({done, left}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if done.done():
            return done.result()
        if left.done():
            raise Cancelled("the client has disconnected")
        deadline.expire()
        raise DeadlineExceeded(f"this took longer than {seconds:g} seconds")
    finally:
        if not done.done():
            deadline.cancel()
        for task in (left, done):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await left


async def run_change(
    work: Callable[[], T], workers: WorkerPool, key: UserKey, request: Request, seconds: float
) -> T:
    """A change that cannot be cancelled any more has a grace to end. ChangeFailed says whether
    it may still be made."""
    deadline = Deadline(seconds)
    finished: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def run() -> T:
        with deadline_scope(deadline):
            deadline.check()
            return work()

    try:
        done = asyncio.wrap_future(workers.submit(run, key))
        done.add_done_callback(partial(_pass_on, finished))
        try:
            return await wait_or_disconnect(asyncio.shield(finished), deadline, request, seconds)
        except Cancelled:
            if not deadline.committing:
                done.cancel()
                raise
            await asyncio.wait({finished}, timeout=COMMIT_GRACE)
            if finished.done():
                return finished.result()
            raise
    except (Cancelled, StoreError) as error:
        raise ChangeFailed(error, may_follow=deadline.committing) from error


def _pass_on(finished: "asyncio.Future[T]", done: "asyncio.Future[T]") -> None:
    if finished.done() or done.cancelled():
        finished.cancel()
    elif (error := done.exception()) is not None:
        finished.set_exception(error)
        finished.exception()  # also where nobody waits any more
    else:
        finished.set_result(done.result())


async def client_disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True, slots=True)
class RequestContext:
    state: AppState
    request: Request
    principal: Principal

    @property
    def engine(self) -> Engine:
        return self.state.engine

    @property
    def user_key(self) -> UserKey:
        return user_key(self.principal)

    def source_states(self, result: Retrieval) -> tuple[SourceState, ...]:
        """Whether the sources of what was asked have moved on; none without the right."""
        return self.engine.content.source_states(self.principal, result.scope.snapshots)

    def question_request(self, body: RequestBody) -> QuestionRequest:
        return body.request(self.principal, self.state.pipelines)

    async def answer(
        self,
        work: Callable[[], object],
        *,
        status: int = 200,
        workers: WorkerPool | None = None,
        seconds: float | None = None,
    ) -> Response:
        """Works in a thread, and writes its JSON there too."""
        body = await run_in_worker(
            lambda: as_json(work()),
            workers or self.state.questions,
            self.user_key,
            self.request,
            seconds or self.state.settings.time,
        )
        return Response(body, media_type="application/json", status_code=status)

    async def work(self, work: Callable[[], T]) -> T:
        seconds = self.state.settings.time
        return await run_in_worker(work, self.state.questions, self.user_key, self.request, seconds)

    async def change(self, work: Callable[[], T]) -> T:
        """By the workers for writes: no change waits for questions, and no question for one."""
        seconds = self.state.settings.time
        return await run_change(work, self.state.writes, self.user_key, self.request, seconds)


async def _context(request: Request) -> RequestContext:
    """Not in a thread: there is nothing to wait for."""
    return RequestContext(app_state_of(request), request, request.state.principal)


CurrentRequest = Annotated[RequestContext, Depends(_context)]


# The body of a request: JSON, each key once, not too deep.


DEEPEST = 32
# Never has to try again from elsewhere, whatever is sent: a string without an end ends the body.
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{]|[\]}]")


class StrictRequest(Request):
    async def body(self) -> bytes:
        """A browser sends other types than JSON to strangers without asking them first."""
        body = await super().body()
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and kind != "application/json":
            raise HTTPException(415, "send JSON, and say so: Content-Type: application/json")
        return body

    async def json(self) -> Any:
        body = await self.body()
        _not_deep(body)
        try:
            return json.loads(body, object_pairs_hook=_once_each, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            raise HTTPException(400, f"the body is not JSON: {_words(error)}") from error


def _not_deep(body: bytes) -> None:
    """Before anything is built of it."""
    depth = 0
    for bracket in _BRACKETS.finditer(_STRINGS.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            raise HTTPException(400, f"the body is nested more than {DEEPEST} deep")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two equal keys one reader takes the first, another the last."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON's")


def _words(error: Exception) -> str:
    return str(error).partition(":")[0] if isinstance(error, ValueError) else "nested too deeply"


# Authentication comes before the body, the body before the route.


class AuthenticatedRoute(APIRoute):
    """The body is read after authentication."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            authenticator: Authenticator = request.app.state.authenticator
            credentials = request.headers.getlist("authorization")
            request.state.principal = await authenticator.authenticate(credentials)
            if self.body_field is None:
                return await handle(request)
            strict = StrictRequest(request.scope, request.receive)
            try:
                async with asyncio.timeout(app_state_of(request).settings.time):
                    await strict.body()
            except TimeoutError:
                raise HTTPException(408, "the body did not come in time") from None
            except ClientDisconnect:
                raise Cancelled("the client has disconnected") from None
            return await handle(strict)

        return handled
