"""A cancelled request closes the connection to the model server at once."""

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
def calling(action: Callable[[], None], when: Callable[[], object]) -> Iterator[None]:
    """Calls it in another thread, as soon as the condition is true."""

    def watch() -> None:
        while not when():
            time.sleep(0.01)
        action()

    watcher = Thread(target=watch)
    watcher.start()
    yield
    watcher.join()


def test_cancelling_ends_a_request_that_the_server_does_not_answer(
    server: Server, chat: EndpointChat
) -> None:
    server.script.append(stream_answer(Halt.STALL))
    with (
        deadline_scope(Deadline()) as deadline,
        calling(deadline.cancel, lambda: server.asked),
        pytest.raises(Cancelled),
    ):
        complete(chat)
    assert len(server.asked) == 1


def test_cancelling_ends_a_stream_that_has_begun(server: Server, chat: EndpointChat) -> None:
    server.script.append(stream_answer(text_event("Only "), Halt.STALL))
    pieces: list[str] = []
    with (
        deadline_scope(Deadline()) as deadline,
        calling(deadline.cancel, lambda: pieces),
        pytest.raises(Cancelled),
    ):
        complete(chat, pieces)
    assert pieces == ["Only "]


def test_an_expired_deadline_ends_a_request(server: Server, chat: EndpointChat) -> None:
    server.script.append(stream_answer(Halt.STALL))
    with (
        deadline_scope(Deadline(100)) as deadline,
        calling(deadline.expire, lambda: server.asked),
        pytest.raises(DeadlineExceeded),
    ):
        complete(chat)


def test_a_cancelled_request_is_not_sent(server: Server, chat: EndpointChat) -> None:
    with deadline_scope(Deadline()) as deadline:
        deadline.cancel()
        with pytest.raises(Cancelled):
            complete(chat)
    assert server.asked == []
