"""Plans routes; see docs/routes.rst and `Depot`."""

import services.queue.backoff as pauses
from services.queue.worker import *


def delivery_window(day):
    def shift(hours):
        return hours + pauses.backoff(1)

    return shift(8), shift(10)


async def plan(day):
    return delivery_window(day), Worker
