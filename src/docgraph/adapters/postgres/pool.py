"""A connection pool that reports at once why connecting fails, and is safe across a fork."""

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

_CHECK_EVERY = 0.2  # seconds between two looks for a failed connection attempt


class Pool:
    """Opened with the first use; any number of threads may use it."""

    def __init__(self, dsn: str, *, size: int = 8, wait: float = 30) -> None:
        """`wait` is how many seconds to wait while all `size` connections are in use."""
        self.dsn = dsn
        self._size = size
        self._wait = wait
        self._reset()
        _POOLS.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None
        self._failure: psycopg.Error | None = None
        self._close_pool: Callable[[], object] = lambda: None

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Goes back to the pool at the end; what was not committed is rolled back."""
        with translate_errors(self.dsn):
            pool = self._open()
            connection = self._take(pool)
            try:
                yield connection
            finally:
                pool.putconn(connection)

    def close(self) -> None:
        """Until the next use."""
        with self._lock:
            self._pool = None
            self._close_pool()

    def _open(self) -> "ConnectionPool[Connection]":
        with self._lock:
            if self._pool is None:
                self._pool = ConnectionPool(
                    self.dsn,
                    kwargs={"autocommit": True, **options(self.dsn)},
                    connection_class=_connection_class(weakref.ref(self)),
                    check=ConnectionPool.check_connection,
                    min_size=0,
                    max_size=self._size,
                    reconnect_timeout=0,  # the next caller tries again
                    num_workers=2,
                    open=True,
                )
                self._close_pool = weakref.finalize(self, self._pool.close)
            return self._pool

    def _take(self, pool: "ConnectionPool[Connection]") -> Connection:
        """The pool connects in the background and does not report a failure, so look for one."""
        self._failure = None
        until = time.monotonic() + self._wait
        while True:
            try:
                return pool.getconn(timeout=_CHECK_EVERY)
            except PoolTimeout:
                failure = self._last_failure()
                late = time.monotonic() >= until
                if failure is not None and (late or not pool.get_stats().get("pool_size")):
                    raise failure from None
                if late:
                    raise StoreBusy(
                        f"{redacted(self.dsn)}: all {self._size} connections of this process have "
                        f"been in use for {self._wait:g} s; try again"
                    ) from None

    def _last_failure(self) -> psycopg.Error | None:
        return self._failure

    def set_failure(self, error: psycopg.Error) -> None:
        """Called by a connection attempt that failed."""
        self._failure = error

    def after_fork(self) -> None:
        """In the child: the pool stays with the parent, a new one opens with the next use."""
        _PARENTS_POOLS.append(self._pool)
        if isinstance(self._close_pool, weakref.finalize):
            self._close_pool.detach()
        self._reset()


def _connection_class(pool: "weakref.ref[Pool]") -> type[Connection]:
    """Connections with our session settings, which report a failed attempt to `pool`."""

    class PooledConnection(psycopg.Connection[tuple[Any, ...]]):
        @classmethod
        def connect(cls, conninfo: str = "", **options: Any) -> Any:
            try:
                with connecting():
                    connection = super().connect(conninfo, **options)
                _OPEN.add(connection)
                set_up(connection)
            except psycopg.Error as error:
                if (owner := pool()) is not None:
                    owner.set_failure(error)
                raise
            return connection

    return PooledConnection


_POOLS: "weakref.WeakSet[Pool]" = weakref.WeakSet()
_OPEN: "weakref.WeakSet[Connection]" = weakref.WeakSet()
_PARENTS_POOLS: list[object] = []  # never closed: that would end the parent's sessions


def _after_fork_in_child() -> None:
    """Replaces the child's copies of all sockets, so that a session of the parent and its locks end
    with the parent."""
    null = os.open(os.devnull, os.O_RDWR)
    for connection in _OPEN:
        if not connection.closed:
            os.dup2(null, connection.fileno())
    os.close(null)
    for pool in _POOLS:
        pool.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
