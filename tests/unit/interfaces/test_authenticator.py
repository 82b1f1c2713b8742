"""Authentication that is slow delays other requests to be authenticated, up to a bound, and no
request that is authenticated already."""

import asyncio
import threading

import pytest

from docgraph.interfaces.auth.authentication import Authenticator
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.http.server.app_state import SingleFlight
from docgraph.interfaces.server.fair_queue import Overloaded
from docgraph.model.access import Principal
from docgraph.model.errors import NotAuthenticated


class Slow:
    """Asks an issuer that does not answer before it is let."""

    open_to_local = False
    issuers = ("slow",)

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def issuer_of(self, authorization: str | None) -> str | None:
        return None if authorization == "key" else "slow"

    def authenticate(self, authorization: str | None) -> Principal:
        if authorization == "key":
            return local()
        assert self.go_on.wait(30)
        if authorization != "ann":
            raise NotAuthenticated("nobody")
        return local()


def test_more_than_may_wait_to_be_known_are_sent_away() -> None:
    login = Slow()
    keeper = Authenticator(login, threads=2, waiting=3)

    async def come() -> list[object]:
        first = [asyncio.ensure_future(keeper.authenticate(["ann"])) for _ in range(5)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await keeper.authenticate(["ann"])
        login.go_on.set()
        found: list[object] = [*await asyncio.gather(*first)]
        with pytest.raises(NotAuthenticated):
            await keeper.authenticate([])
        with pytest.raises(NotAuthenticated, match="more than one"):
            await keeper.authenticate(["ann", "ann"])
        return found

    assert asyncio.run(come()) == [local()] * 5


def test_an_api_key_does_not_wait_for_the_issuer_of_tokens() -> None:
    login = Slow()
    keeper = Authenticator(login, threads=2, waiting=500)

    async def come() -> None:
        tokens = [asyncio.ensure_future(keeper.authenticate(["ann"])) for _ in range(300)]
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            assert await keeper.authenticate(["key"]) == local()
        assert not any(one.done() for one in tokens)
        login.go_on.set()
        await asyncio.gather(*tokens)

    asyncio.run(come())


def test_they_take_no_thread_of_others() -> None:
    """Neither of asyncio's own nor of those that tell whether the store answers."""
    login = Slow()
    keeper, ready = Authenticator(login, threads=2, waiting=500), SingleFlight(lambda: None)

    async def come() -> None:
        coming = [asyncio.ensure_future(keeper.authenticate(["ann"])) for _ in range(300)]
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await asyncio.gather(*(ready() for _ in range(300)))
            assert await asyncio.to_thread(lambda: 7) == 7
        assert not any(one.done() for one in coming)
        login.go_on.set()
        await asyncio.gather(*coming)

    asyncio.run(come())


def test_what_many_ask_at_once_is_asked_once() -> None:
    asked, go_on = list[int](), threading.Event()

    def work() -> None:
        asked.append(1)
        assert go_on.wait(30)
        if len(asked) == 2:
            raise NotAuthenticated("the second time")

    ready = SingleFlight(work)

    async def ask() -> None:
        together = [asyncio.ensure_future(ready()) for _ in range(100)]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(*together)
        assert len(asked) == 1
        with pytest.raises(NotAuthenticated):
            await ready()
        await ready()

    asyncio.run(ask())
    assert len(asked) == 3
