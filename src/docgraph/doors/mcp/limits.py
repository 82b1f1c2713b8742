"""What one call may cost: whatever a client asks for, no answer grows past these."""

from dataclasses import dataclass

from docgraph.wiring.serve_settings import NOTHING_SERVED, ServeSettings

LONGEST_ID = 4_000  # characters
LONGEST_NAME = 200
MOST_SEEDS = 50
MOST_TOKENS = 32_000
MOST_RELATIONS = 200


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` for one call, of which `at_once` run beside each other, and `queue` wait.

    `results` are found by one search, `letters` of a text are fetched, `listed` is how long any
    list gets. `body` is what one HTTP request may hold, in bytes.
    """

    seconds: float = NOTHING_SERVED.time
    at_once: int = 8
    queue: int = NOTHING_SERVED.queue
    results: int = 20
    letters: int = 200_000
    listed: int = 200
    body: int = NOTHING_SERVED.body_bytes


def limits_of(served: ServeSettings) -> Limits:
    """As an operator sets them for all that is served."""
    return Limits(
        seconds=served.time,
        at_once=served.concurrency or Limits().at_once,
        queue=served.queue,
        body=served.body_bytes,
    )
