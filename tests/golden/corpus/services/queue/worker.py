"""Takes uploads from the queue and sends them. RFC 2119 applies."""

from . import models
from .backoff import backoff
from .queue import Queue, first_attempt


class Worker:
    def __init__(self, queue: Queue) -> None:
        self.queue = queue

    def run(self, now: float) -> float:
        """Sends one upload; a failure waits as docs/uploads.md says."""
        upload = self.queue.pop(now)
        if upload is None:
            return 0.0
        attempt = first_attempt(upload)
        return self.retry(attempt, now)

    def retry(self, attempt: models.Attempt, now: float) -> float:
        pause = backoff(attempt.number)
        self.queue.push(attempt, now + pause)
        return pause


class NightWorker(Worker):
    def run(self, now: float) -> float:
        return super().run(now) * 2


def main(transport):
    worker = NightWorker(Queue())
    transport.send(worker.run(0.0))
