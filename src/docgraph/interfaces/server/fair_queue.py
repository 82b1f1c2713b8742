"""Tasks of several users: each user's in order of arrival, the users in turn."""

from collections import Counter, OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

from docgraph.model.errors import DocgraphError

PARTS = 4  # of a queue, one of which is a user's quota
FEWEST = 72  # so that 64 clients with one key are never refused
T = TypeVar("T")


class Overloaded(DocgraphError):
    """The queue is full."""


def waiting_quota(waiting: int) -> int:
    """How many of one user's tasks may wait: a quarter, or 72, and a quarter stays for others."""
    part = waiting // PARTS
    return max(part, min(FEWEST, waiting - part))


class FairQueue(Generic[T]):
    """`workers` tasks run at once, `per_user` of one user; `waiting` tasks wait beside them.

    A user is any value; None is nobody in particular, whose waiting tasks have no quota.
    Not safe for threads: callers hold a lock.
    """

    def __init__(self, workers: int, waiting: int, per_user: int) -> None:
        self._workers = workers
        self._most = waiting
        self._quota = waiting_quota(waiting)
        self._per_user = per_user
        self._running: Counter[Hashable] = Counter()
        # The first user here is next, and goes to the end when a task of theirs starts.
        self._waiting: OrderedDict[Hashable, deque[T]] = OrderedDict()

    @property
    def running(self) -> int:
        return self._running.total()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, task: T, user: Hashable) -> None:
        """Raises Overloaded where the task could neither start nor wait."""
        if not self._may_start(user):
            if self.waiting >= self._most:
                raise Overloaded("more wait already than may wait; try again")
            if user is not None and len(self._waiting.get(user, ())) >= self._quota:
                raise Overloaded("more of yours wait already than may wait; try again")
        self._waiting.setdefault(user, deque()).append(task)

    def start(self) -> tuple[T, Hashable] | None:
        """The next task and its user; None where no task may start now."""
        for user, tasks in self._waiting.items():
            if self._may_start(user):
                task = tasks.popleft()
                self._waiting.move_to_end(user)
                if not tasks:
                    del self._waiting[user]
                self._running[user] += 1
                return task, user
        return None

    def finish(self, user: Hashable) -> None:
        """One of the user's tasks has ended. A user without tasks is forgotten."""
        self._running[user] -= 1
        if not self._running[user]:
            del self._running[user]

    def remove(self, task: T, user: Hashable) -> bool:
        """False where it does not wait any more."""
        tasks = self._waiting.get(user)
        if tasks is None or task not in tasks:
            return False
        tasks.remove(task)
        if not tasks:
            del self._waiting[user]
        return True

    def _may_start(self, user: Hashable) -> bool:
        return self.running < self._workers and self._running[user] < self._per_user
