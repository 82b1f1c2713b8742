"""Runs the batches of one call in several threads, and gives their results in order."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Generic, TypeVar

from docgraph.model.errors import Cancelled
from docgraph.ports.cancellation import Deadline, check_cancelled, deadline_scope, inner_deadline

Result = TypeVar("Result")
# A batch that takes long holds the results of at most so many batches per thread back.
BATCHES_PER_THREAD = 2


def run_in_order(
    work: Callable[[int], Result],
    starts: Sequence[int],
    on_result: Callable[[int, Result], None],
    threads: int,
) -> None:
    """Calls `on_result` in this thread, with each batch's start and result, in order.

    An error ends the other batches. What is complete by then is passed on, also behind a gap; then
    the error is raised, of several the one of the first batch. No thread outlives the call.
    """
    if min(threads, len(starts)) <= 1:
        for start in starts:
            on_result(start, work(start))
        return
    with inner_deadline() as deadline, ThreadPoolExecutor(threads, "endpoint") as pool:
        try:
            _Run(pool, deadline, work, starts, on_result).run(BATCHES_PER_THREAD * threads)
        finally:
            deadline.cancel()


class _Run(Generic[Result]):
    def __init__(
        self,
        pool: ThreadPoolExecutor,
        deadline: Deadline,
        work: Callable[[int], Result],
        starts: Sequence[int],
        on_result: Callable[[int, Result], None],
    ) -> None:
        self._pool = pool
        self._deadline = deadline
        self._work = work
        self._starts = starts
        self._on_result = on_result
        self._running: dict[Future[Result], int] = {}
        self._complete: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}

    def run(self, max_ahead: int) -> None:
        submitted = delivered = 0
        while delivered < len(self._starts):
            until = min(delivered + max_ahead, len(self._starts))
            for position in range(submitted, until):
                self._submit(position)
            submitted = until
            wait(self._running, return_when=FIRST_COMPLETED)
            self._collect()
            if self._errors:
                self._fail()
            while delivered in self._complete:
                self._deliver(delivered)
                delivered += 1

    def _submit(self, position: int) -> None:
        context = copy_context()  # of this thread, with its deadline and its trace
        future = self._pool.submit(context.run, self._one, self._starts[position])
        self._running[future] = position

    def _one(self, start: int) -> Result:
        """An error ends the others at once: this thread may take the next batch before the calling
        thread sees the error."""
        with deadline_scope(self._deadline):
            check_cancelled()
            try:
                return self._work(start)
            except BaseException:
                self._deadline.cancel()
                raise

    def _collect(self) -> None:
        for future in [one for one in self._running if one.done()]:
            position = self._running.pop(future)
            error = future.exception()
            if error is None:
                self._complete[position] = future.result()
            else:
                self._errors[position] = error

    def _fail(self) -> None:
        wait(self._running)
        self._collect()
        for position in sorted(self._complete):
            self._deliver(position)
        # Batches that an error of another one ended are cancelled; if all are, the request is.
        errors = {at: one for at, one in self._errors.items() if not isinstance(one, Cancelled)}
        raise min((errors or self._errors).items())[1]

    def _deliver(self, position: int) -> None:
        self._on_result(self._starts[position], self._complete.pop(position))
