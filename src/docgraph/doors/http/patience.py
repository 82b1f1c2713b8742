"""Patience: work in a thread is waited for as long as somebody waits, and no longer than it may."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from starlette.requests import Request

from docgraph.doors.shares import Holder
from docgraph.doors.workers import Workers
from docgraph.model.errors import GivenUp, TookTooLong
from docgraph.ports.waiting import Waiting, waited_for

T = TypeVar("T")


async def carried_out(
    work: Callable[[], T], workers: Workers, holder: Holder, request: Request, seconds: float
) -> T:
    """The time counts from here, so that waiting in the queue is a part of it."""
    waiting = Waiting(seconds)

    def wanted() -> T:
        with waited_for(waiting):
            waiting.check()
            return work()

    done = asyncio.wrap_future(workers.submit(wanted, holder))
    return await until(done, waiting, request, seconds)


async def until(awaited: Awaitable[T], waiting: Waiting, request: Request, seconds: float) -> T:
    """Whoever leaves, or has waited too long, takes their question along."""
    done = asyncio.ensure_future(awaited)
    left = asyncio.create_task(has_left(request))
    try:
        await asyncio.wait({done, left}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if done.done():
            return done.result()
        if left.done():
            raise GivenUp("whoever asked has left")
        waiting.run_out()
        raise TookTooLong(f"this took longer than {seconds:g} seconds")
    finally:
        if not done.done():
            waiting.give_up()
        for task in (left, done):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await left


async def has_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
