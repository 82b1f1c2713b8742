"""Refusals: what the engine says no to, as a problem. What happens inside stays inside."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from docgraph.doors.workers import TooBusy
from docgraph.model.errors import (
    BadInput,
    BadPipeline,
    BadPlan,
    DocgraphError,
    GivenUp,
    ModelError,
    NotAllowed,
    NotKnown,
    NotVisible,
    StoreBusy,
    StoreError,
    TookTooLong,
    TooLong,
    WrongEmbedder,
)

LATER = {"Retry-After": "1"}
NOT_KNOWN = "show a credential that is known here: Authorization: Bearer …"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`words` stand in place of the error's own, where those would tell of the inside.

    Then the log tells them, if it is `logged`.
    """

    kind: type[DocgraphError]
    status: int
    words: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    logged: bool = False


# The first that fits counts.
REFUSALS = (
    Refusal(NotKnown, 401, NOT_KNOWN, {"WWW-Authenticate": "Bearer"}, logged=True),
    Refusal(NotAllowed, 403),
    Refusal(NotVisible, 404),
    Refusal(BadInput, 422),
    Refusal(BadPipeline, 422),
    Refusal(BadPlan, 422),
    Refusal(TooLong, 422),
    Refusal(WrongEmbedder, 409),
    Refusal(TooBusy, 503, "more wait already than may wait; try again", LATER),
    Refusal(StoreBusy, 503, "another writes to this store just now; try again", LATER),
    Refusal(StoreError, 503, "the store cannot be used as it is", LATER, logged=True),
    Refusal(ModelError, 502, "a model's server did not answer as it should", logged=True),
    Refusal(TookTooLong, 504),
    Refusal(GivenUp, 499),
)


def refusal_of(error: DocgraphError) -> Refusal | None:
    """None: not anybody's fault but ours."""
    return next((one for one in REFUSALS if isinstance(error, one.kind)), None)
