"""Translation of Postgres' errors: messages say what to do, and never contain a password."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import Error, OperationalError

from docgraph.adapters.postgres.address import redacted, without_secrets
from docgraph.adapters.sql.database import DamagedRow
from docgraph.model.errors import (
    DamagedStore,
    StoreBusy,
    StoreError,
    StoreFull,
    WrongSchema,
)

READER = "docgraph_reader"
Translation = tuple[type[StoreError], str]

_LOST: Translation = (
    StoreError,
    (
        "the connection to the server was lost. Nothing unfinished can be seen; "
        "look whether the server runs, then try again."
    ),
)
_DAMAGED = "this database is damaged{}; restore it from a backup, or ingest into a new one"
_DOCTOR = "`docgraph doctor` tells what is missing, and which command mends it"
_MIGRATE: Translation = (WrongSchema, "its tables do not fit this docgraph; run `docgraph migrate`")

# By SQLSTATE, or by its first two characters.
_BY_STATE: dict[str, Translation] = {
    "53100": (
        StoreFull,
        (
            "the server's disk is full. The last complete snapshot is intact; "
            "free some space there and run the command again."
        ),
    ),
    "53200": (StoreError, "the server is out of memory; nothing was lost, try again later"),
    "53300": (
        StoreBusy,
        "the server has no connection left; try again later, or raise max_connections there",
    ),
    "55P03": (StoreBusy, "another process holds what this needs; wait for it to end, then retry"),
    "40P01": (StoreBusy, "another process held what this needs; try again"),
    "40001": (StoreBusy, "another process changed what this reads; try again"),
    "57014": (
        StoreBusy,
        (
            "the server ended a statement after its statement_timeout, or because somebody "
            "cancelled it; try again later, or raise statement_timeout for this login"
        ),
    ),
    "25P03": (StoreBusy, "the server ended a transaction that was idle for too long; try again"),
    "25P04": (StoreBusy, "the server ended a transaction after its transaction_timeout; try again"),
    "25006": (StoreError, "this server takes no writes: is it a standby? Name the primary instead"),
    "57P03": (StoreBusy, "the server is starting or stopping; try again in a moment"),
    "57P": _LOST,
    "08": _LOST,
    "42501": (StoreError, f"this login may not do that; {_DOCTOR}"),
    "42P01": _MIGRATE,
    "3F000": _MIGRATE,
    "XX001": (DamagedStore, _DAMAGED.format("")),
    "XX002": (DamagedStore, "an index of this database is damaged; a REINDEX mends it"),
}
_SHOW_MESSAGE = ("53", "54", "58")  # resources, limits, disk errors: the message says which
# Where a server extends a file: quotas and limits on file sizes have no SQLSTATE of their own.
_GROWING = ("mdextend", "mdzeroextend", "BufFileDumpBuffer", "XLogWrite")

# A refused connection has no SQLSTATE, only a message in the server's language.
_REFUSED_CONNECTION: dict[str, Translation] = {
    "too many clients": _BY_STATE["53300"],
    "too many connections": _BY_STATE["53300"],
    "connection slots": _BY_STATE["53300"],
    "starting up": _BY_STATE["57P03"],
    "shutting down": _BY_STATE["57P03"],
    "recovery mode": _BY_STATE["57P03"],
}


class NoConnection(OperationalError):
    """Connecting failed; any other error is one of an open connection."""


@contextmanager
def connecting() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise NoConnection(str(error)) from error


@contextmanager
def translate_errors(dsn: str) -> Iterator[None]:
    """Raises StoreErrors; any other error of psycopg is a bug of docgraph and stays as it is."""
    try:
        yield
    except DamagedRow as error:
        raise DamagedStore(f"{redacted(dsn)}: {_DAMAGED.format(f': {error}')}") from error
    except Error as error:
        refused = isinstance(error, NoConnection)
        translation = _refused_connection(error, dsn) if refused else _translate(error, dsn)
        if translation is None:
            raise
        kind, message = translation
        raise kind(f"{redacted(dsn)}: {message}") from error


def _refused_connection(error: Error, dsn: str) -> Translation:
    text = without_secrets(str(error), dsn)
    for words, translation in _REFUSED_CONNECTION.items():
        if words in text:
            return translation
    end = "" if text.endswith((".", "?")) else "."
    return StoreError, f"{text}{end} Look at the address, and whether the server runs."


def _translate(error: Error, dsn: str) -> Translation | None:
    state = error.sqlstate or ""
    for prefix in (state, state[:3], state[:2]):
        if prefix in _BY_STATE:
            return _BY_STATE[prefix]
    if state == "22023" and READER in str(error):
        return StoreError, f"the role {READER} is missing; {_DOCTOR}"
    if state == "XX000" and error.diag.source_function in _GROWING:
        kind, message = _BY_STATE["53100"]
        return kind, f"{message} The server says: {without_secrets(str(error), dsn)}"
    if state.startswith(_SHOW_MESSAGE):
        return StoreError, f"cannot be used: {without_secrets(str(error), dsn)}"
    lost = not state and isinstance(error, OperationalError)
    ended = error.diag.severity_nonlocalized in (
        "FATAL",
        "PANIC",
    )  # the session
    return _LOST if lost or ended else None
