"""A pool of connections that tells at once why there is none, and does not cross a fork."""

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from docgraph.adapters.postgres.address import redacted
from docgraph.adapters.postgres.connection import Connection, options, set_up
from docgraph.adapters.postgres.errors import connecting, translate_errors
from docgraph.model.errors import StoreBusy

_LOOK = 0.2  # seconds of waiting after which to look whether there is any hope


class Pool:
    """Opened with the first question. Any number of threads may ask."""

    def __init__(self, dsn: str, *, size: int = 8, wait: float = 30) -> None:
        """`wait` is how many seconds to queue while all `size` connections are in use."""
        self.dsn = dsn
        self._size = size
        self._wait = wait
        self._forget()
        _POOLS.add(self)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None
        self._failure: psycopg.Error | None = None
        self._let_go: Callable[[], object] = lambda: None

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lent: it goes back at the end, and what was not committed is undone."""
        with translate_errors(self.dsn):
            pool = self._opened()
            connection = self._taken(pool)
            try:
                yield connection
            finally:
                pool.putconn(connection)

    def close(self) -> None:
        """Until the next question."""
        with self._lock:
            self._pool = None
            self._let_go()

    def _opened(self) -> "ConnectionPool[Connection]":
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    self.dsn,
                    kwargs={"autocommit": True, **options(self.dsn)},
                    connection_class=_connecting(weakref.ref(self)),
                    check=ConnectionPool.check_connection,
                    min_size=0,
                    max_size=self._size,
                    reconnect_timeout=0,  # whoever asks next tries again
                    num_workers=2,
                    open=True,
                )
                self._let_go = weakref.finalize(self, self._pool.close)
            return self._pool

    def _taken(self, pool: "ConnectionPool[Connection]") -> Connection:
        """The pool connects in the background and tells nobody of a failure; so look for one."""
        self._failure = None
        until = time.monotonic() + self._wait
        while True:
            try:
                return pool.getconn(timeout=_LOOK)
            except PoolTimeout:
                failure = self._why()
                late = time.monotonic() >= until
                if failure is not None and (late or not pool.get_stats().get("pool_size")):
                    raise failure from None
                if late:
                    raise StoreBusy(
                        f"{redacted(self.dsn)}: all {self._size} connections of this process have "
                        f"been in use for {self._wait:g} s; try again"
                    ) from None

    def _why(self) -> psycopg.Error | None:
        return self._failure

    def failed(self, error: psycopg.Error) -> None:
        """Told by the connection that could not be made."""
        self._failure = error

    def after_fork(self) -> None:
        """In the child: the pool stays with the parent, a new one opens with the next question."""
        _LEFT.append(self._pool)
        if isinstance(self._let_go, weakref.finalize):
            self._let_go.detach()
        self._forget()


def _connecting(pool: "weakref.ref[Pool]") -> type[Connection]:
    """Connections that are set up, and tell `pool` if they could not be made."""

    class Connecting(psycopg.Connection[tuple[Any, ...]]):
        @classmethod
        def connect(cls, conninfo: str = "", **given: Any) -> Any:
            try:
                with connecting():
                    connection = super().connect(conninfo, **given)
                _OPEN.add(connection)
                set_up(connection)
            except psycopg.Error as error:
                if (told := pool()) is not None:
                    told.failed(error)
                raise
            return connection

    return Connecting


_POOLS: "weakref.WeakSet[Pool]" = weakref.WeakSet()
_OPEN: "weakref.WeakSet[Connection]" = weakref.WeakSet()
_LEFT: list[object] = []  # never closed: that would end the parent's sessions


def _after_fork_in_child() -> None:
    """The child's ends of all sockets are put out of use, so that a session of the parent ends
    with the parent, and with its locks."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for connection in _OPEN:
        if not connection.closed:
            os.dup2(nowhere, connection.fileno())
    os.close(nowhere)
    for pool in _POOLS:
        pool.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
