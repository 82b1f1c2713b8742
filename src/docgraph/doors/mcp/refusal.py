"""What a client is told when a call comes to nothing: words, never what lies behind them."""

import logging

from docgraph.model.errors import (
    ContractBroken,
    DocgraphError,
    ModelError,
    StoreError,
    WrongEmbedder,
)

UNEXPECTED = "something went wrong here that should not; the server's log tells more"
UNAVAILABLE = "the store or a model cannot be used just now; the server's log tells more"
log = logging.getLogger("docgraph.mcp")


def refusal(error: Exception, *, from_afar: bool) -> str:
    """An error of docgraph's own is in words for whoever asked.

    Those that tell of files, servers and schemas are for whoever keeps them: `from_afar` they go
    to the log. So does all that nobody foresaw, wherever it is asked.
    """
    match error:
        case WrongEmbedder():
            return str(error)
        case StoreError() | ModelError() | ContractBroken() if from_afar:
            log.warning("a call failed: %s: %s", type(error).__name__, error)
            return UNAVAILABLE
        case DocgraphError():
            return str(error)
        case _:
            log.error("a call failed", exc_info=error)
            return UNEXPECTED
