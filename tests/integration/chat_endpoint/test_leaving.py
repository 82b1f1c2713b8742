"""A client that disconnects does not keep a model's server, or a thread of ours, busy."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from docgraph.adapters.endpoint.chat import EndpointChat
from docgraph.model.errors import Cancelled, DeadlineExceeded
from docgraph.ports.cancellation import Deadline, deadline_scope
from tests.support.chat_endpoint import complete, stream_answer, text_event
from tests.support.scripted_server import Halt, Server


@contextmanager
def leaving(leave: Callable[[], None], when: Callable[[], object]) -> Iterator[None]:
    """In another thread, as soon as something has come about."""

    def watch() -> None:
        while not when():
            time.sleep(0.01)
        leave()

    watcher = Thread(target=watch)
    watcher.start()
    yield
    watcher.join()


def test_a_server_that_says_nothing_is_hung_up_on(server: Server, chat: EndpointChat) -> None:
    server.script.append(stream_answer(Halt.STALL))
    with (
        deadline_scope(Deadline()) as asker,
        leaving(asker.cancel, lambda: server.asked),
        pytest.raises(Cancelled),
    ):
        complete(chat)
    assert len(server.asked) == 1


def test_a_server_that_speaks_is_hung_up_on(server: Server, chat: EndpointChat) -> None:
    server.script.append(stream_answer(text_event("Only "), Halt.STALL))
    pieces: list[str] = []
    with (
        deadline_scope(Deadline()) as asker,
        leaving(asker.cancel, lambda: pieces),
        pytest.raises(Cancelled),
    ):
        complete(chat, pieces)
    assert pieces == ["Only "]


def test_time_that_is_over_ends_it_too(server: Server, chat: EndpointChat) -> None:
    server.script.append(stream_answer(Halt.STALL))
    with (
        deadline_scope(Deadline(100)) as asker,
        leaving(asker.expire, lambda: server.asked),
        pytest.raises(DeadlineExceeded),
    ):
        complete(chat)


def test_nobody_is_asked_for_one_who_has_disconnected(server: Server, chat: EndpointChat) -> None:
    with deadline_scope(Deadline()) as asker:
        asker.cancel()
        with pytest.raises(Cancelled):
            complete(chat)
    assert server.asked == []
