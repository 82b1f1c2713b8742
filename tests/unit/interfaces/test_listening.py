"""Where a server listens, and that nobody is kept waiting for half an answer."""

import asyncio
import socket
import sys
from contextlib import ExitStack

import pytest

from docgraph.interfaces.server.listener import open_listener, share_listener
from docgraph.model.errors import BadInput


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "8.8.8.8"])
def test_beyond_this_machine_it_does_not_listen_without_a_login(host: str) -> None:
    with pytest.raises(BadInput, match="no login is configured"):
        open_listener(host, 0, is_open=True)


def test_a_name_that_resolves_elsewhere_is_no_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where one of its addresses is."""
    both = [
        (socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, 0)) for host in ("127.0.0.1", "10.0.0.1")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    with pytest.raises(BadInput, match="no login is configured"):
        open_listener("both.example", 0, is_open=True)


def test_with_a_login_it_listens_anywhere() -> None:
    with open_listener("0.0.0.0", 0, is_open=False) as where:
        assert where.getsockname()[1]


def test_a_port_that_is_taken_and_a_name_of_nothing_are_reported() -> None:
    with (
        open_listener("127.0.0.1", 0, is_open=True) as where,
        pytest.raises(BadInput, match="cannot listen on 127"),
    ):
        open_listener("127.0.0.1", where.getsockname()[1], is_open=True)
    with pytest.raises(BadInput, match="no such address"):
        open_listener("no such name", 0, is_open=True)


def test_sockets_of_one_server_share_a_port_with_no_other_server() -> None:
    with ExitStack() as stack:
        first = stack.enter_context(open_listener("127.0.0.1", 0, is_open=True))
        sockets = share_listener(first, 3)
        for one in sockets[1:]:
            stack.enter_context(one)
        assert {one.getsockname() for one in sockets} == {first.getsockname()}
        assert {one.proto for one in sockets} == {socket.IPPROTO_TCP}
        with pytest.raises(BadInput, match="cannot listen on 127"):
            open_listener("127.0.0.1", first.getsockname()[1], is_open=True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems share one socket")
def test_connections_are_spread_over_sockets_that_share_a_port() -> None:
    with (
        open_listener("127.0.0.1", 0, is_open=True) as first,
        share_listener(first, 2)[1] as second,
        ExitStack() as stack,
    ):
        for _ in range(40):
            stack.enter_context(socket.create_connection(first.getsockname()))
        for one in (first, second):
            one.settimeout(60)
            stack.enter_context(one.accept()[0])


def test_what_is_written_goes_out_at_once() -> None:
    """Else every answer waits for its reader's word that it has the first half of it."""

    async def nodelay() -> int:
        with open_listener("127.0.0.1", 0, is_open=True) as place:
            taken: asyncio.Future[int] = asyncio.get_running_loop().create_future()

            def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                line = writer.get_extra_info("socket")
                taken.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                writer.close()

            async with await asyncio.start_server(take, sock=place):
                _, writer = await asyncio.open_connection(*place.getsockname())
                found = await taken
                writer.close()
                return found

    assert asyncio.run(nodelay()) == 1
