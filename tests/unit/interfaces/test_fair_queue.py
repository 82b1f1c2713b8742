"""Users take turns: the order of tasks is fixed by who asked what when, and by nothing else."""

import threading
from concurrent.futures import Future
from functools import partial
from typing import Any

import pytest

from docgraph.interfaces.server.fair_queue import FEWEST, FairQueue, Overloaded, waiting_quota
from docgraph.interfaces.server.worker_pool import WorkerPool


def order(queue: FairQueue[str], *, finish: bool = True) -> list[str]:
    """Of all tasks that start, each ended before the next starts."""
    started = []
    while (found := queue.start()) is not None:
        started.append(found[0])
        if finish:
            queue.finish(found[1])
    return started


def test_users_take_turns_and_each_users_tasks_keep_their_order() -> None:
    queue: FairQueue[str] = FairQueue(1, 100, 1)
    for task in ("a1", "a2", "a3", "b1", "c1", "c2", "a4"):
        queue.put(task, task[0])
    assert order(queue) == ["a1", "b1", "c1", "a2", "c2", "a3", "a4"]


def test_a_user_who_comes_back_waits_for_one_task_of_each_other_user() -> None:
    queue: FairQueue[str] = FairQueue(1, 100, 1)
    for task in ("a1", "a2", "b1", "b2", "b3"):
        queue.put(task, task[0])
    started = []
    for comes in ("c1", "c2", "c3", None, None, None, None, None):
        found = queue.start()
        assert found is not None
        started.append(found[0])
        queue.finish(found[1])
        if comes:
            queue.put(comes, "c")
    assert started == ["a1", "b1", "a2", "c1", "b2", "c2", "b3", "c3"]


def test_a_user_never_holds_every_worker() -> None:
    queue: FairQueue[str] = FairQueue(3, 100, 2)
    for number in range(5):
        queue.put(f"a{number}", "a")
    assert order(queue, finish=False) == ["a0", "a1"]
    queue.put("b0", "b")
    queue.put("b1", "b")
    assert order(queue, finish=False) == ["b0"]
    queue.finish("a")
    assert order(queue, finish=False) == ["a2"]
    queue.finish("a")
    assert order(queue, finish=False) == ["b1"]
    assert queue.running == 3
    assert queue.waiting == 2


def test_what_could_neither_start_nor_wait_is_refused() -> None:
    queue: FairQueue[str] = FairQueue(2, 0, 1)
    queue.put("a1", "a")
    assert order(queue, finish=False) == ["a1"]
    with pytest.raises(Overloaded, match="more wait already"):
        queue.put("a2", "a")
    queue.put("b1", "b")
    assert order(queue, finish=False) == ["b1"]
    with pytest.raises(Overloaded):
        queue.put("c1", "c")


def test_a_user_has_a_quota_of_the_queue_and_nobody_in_particular_has_none() -> None:
    queue: FairQueue[int] = FairQueue(1, 400, 1)
    queue.put(0, "b")
    assert queue.start() == (0, "b")
    for number in range(100):
        queue.put(number, "a")
    with pytest.raises(Overloaded, match="more of yours"):
        queue.put(100, "a")
    for number in range(300):
        queue.put(number, None)
    with pytest.raises(Overloaded, match="more wait already"):
        queue.put(0, "c")


@pytest.mark.parametrize(
    ("waiting", "quota"), [(0, 0), (1, 1), (4, 3), (72, 54), (96, 72), (512, 128), (4_000, 1_000)]
)
def test_a_quota_is_a_quarter_or_enough_for_64_clients_and_leaves_a_quarter(
    waiting: int, quota: int
) -> None:
    assert waiting_quota(waiting) == quota
    assert FEWEST > 64


def test_a_task_that_is_removed_frees_its_position() -> None:
    queue: FairQueue[str] = FairQueue(1, 2, 1)
    for task in ("a1", "a2", "b1"):
        queue.put(task, task[0])
        queue.waiting or queue.start()
    assert queue.start() == ("a1", "a")
    assert queue.remove("a2", "a")
    assert not queue.remove("a2", "a")
    assert not queue.remove("a1", "a")
    queue.put("a3", "a")
    queue.finish("a")
    assert order(queue) == ["b1", "a3"]


def test_workers_start_tasks_in_the_order_of_the_queue() -> None:
    pool, done, held = WorkerPool("test", 2, 100, per_user=1), list[str](), threading.Event()
    ann, bob, cat = ("t", "ann"), ("t", "bob"), ("t", "cat")
    waited: list[Future[Any]] = [pool.submit(held.wait, ann), pool.submit(held.wait, cat)]
    for user, count in ((ann, 3), (bob, 1), (cat, 2)):
        waited += [
            pool.submit(partial(done.append, f"{user[1]}{number}"), user) for number in range(count)
        ]
    assert pool.pending == 8
    held.set()
    for one in waited:
        one.result(60)
    # Two workers may report in either order; no user's own tasks change places.
    for user in (ann, bob, cat):
        mine = [one for one in done if one.startswith(user[1])]
        assert mine == sorted(mine)
    assert done.index("bob0") <= 3
    assert pool.close(30)


def test_a_cancelled_task_leaves_the_queue_at_once() -> None:
    pool, held = WorkerPool("test", 1, 1), threading.Event()
    first = pool.submit(held.wait, None)
    second = pool.submit(lambda: 1, None)
    with pytest.raises(Overloaded):
        pool.submit(lambda: 2, None)
    assert second.cancel()
    third = pool.submit(lambda: 3, None)
    held.set()
    assert first.result(60)
    assert third.result(60) == 3
    assert pool.close(30)
    assert pool.pending == 0
