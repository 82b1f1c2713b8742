"""A balancer on loopback: hands each connection to the next server that takes one."""

import itertools
import select
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

MAX_SILENCE_SECONDS = 60.0
BLOCK = 65536


class Balancer:
    def __init__(self, ports: Sequence[int]) -> None:
        self._turns = itertools.cycle(ports)
        self._servers = len(ports)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []

    @property
    def port(self) -> int:
        found: int = self._listener.getsockname()[1]
        return found

    def run(self) -> None:
        """Until it is closed."""
        with suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                thread = threading.Thread(target=self._carry, args=(caller, self._server()))
                self._threads.append(thread)
                thread.start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(MAX_SILENCE_SECONDS)

    def _server(self) -> socket.socket | None:
        """The next one that listens: a dead one is passed over."""
        for port in itertools.islice(self._turns, self._servers):
            with suppress(OSError):
                return socket.create_connection(("127.0.0.1", port), timeout=MAX_SILENCE_SECONDS)
        return None

    @staticmethod
    def _carry(caller: socket.socket, server: socket.socket | None) -> None:
        """Bytes both ways, until one side hangs up or breaks off."""
        with ExitStack() as held, suppress(OSError):
            held.enter_context(caller)
            if server is None:
                return
            held.enter_context(server)
            ways = {caller: server, server: caller}
            while ready := select.select(list(ways), [], [], MAX_SILENCE_SECONDS)[0]:
                for side in ready:
                    block = side.recv(BLOCK)
                    if not block:
                        return
                    ways[side].sendall(block)


@contextmanager
def run_balancer(ports: Sequence[int]) -> Iterator[int]:
    """The port at which all of them are asked by turns."""
    balancer = Balancer(ports)
    thread = threading.Thread(target=balancer.run)
    thread.start()
    try:
        yield balancer.port
    finally:
        balancer.close()
        thread.join()
        balancer.join()
