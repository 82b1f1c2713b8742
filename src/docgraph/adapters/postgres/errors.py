"""Postgres' errors, said so that someone on call knows what to do, and never with a password."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import Error, OperationalError

from docgraph.adapters.postgres.address import redacted, without_secrets
from docgraph.model.errors import StoreBusy, StoreError, StoreFull, WrongSchema

READER = "docgraph_reader"
Said = tuple[type[StoreError], str]

_LOST: Said = (
    StoreError,
    (
        "the connection to the server was lost. Nothing unfinished can be seen; "
        "look whether the server runs, then try again."
    ),
)
_DOCTOR = "`docgraph doctor` tells what is missing, and which command mends it"
_MIGRATE: Said = (WrongSchema, "its tables do not fit this docgraph; run `docgraph migrate`")

# By SQLSTATE, or by its first two characters.
_BY_STATE: dict[str, Said] = {
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
    "XX001": (StoreError, "this database is damaged; restore it from a backup"),
    "XX002": (StoreError, "an index of this database is damaged; a REINDEX mends it"),
}
_TELLING = ("53", "54", "58")  # too little, too long, a failing disk: the server says of what
# Where a server makes a file longer: of a quota, or of a limit on files, it knows no SQLSTATE.
_GROWING = ("mdextend", "mdzeroextend", "BufFileDumpBuffer", "XLogWrite")


# At the door the server gives no SQLSTATE, only words, in its own language.
_AT_THE_DOOR: dict[str, Said] = {
    "too many clients": _BY_STATE["53300"],
    "too many connections": _BY_STATE["53300"],
    "connection slots": _BY_STATE["53300"],
    "starting up": _BY_STATE["57P03"],
    "shutting down": _BY_STATE["57P03"],
    "recovery mode": _BY_STATE["57P03"],
}


class NoConnection(OperationalError):
    """There is none yet; any other error is one of a connection that was there."""


@contextmanager
def connecting() -> Iterator[None]:
    try:
        yield
    except OperationalError as error:
        raise NoConnection(str(error)) from error


@contextmanager
def translate_errors(dsn: str) -> Iterator[None]:
    """Whatever else psycopg raises is a mistake of docgraph's own, and stays as it is."""
    try:
        yield
    except Error as error:
        said = _at_the_door(error, dsn) if isinstance(error, NoConnection) else _said(error, dsn)
        if said is None:
            raise
        kind, words = said
        raise kind(f"{redacted(dsn)}: {words}") from error


def _at_the_door(error: NoConnection, dsn: str) -> Said:
    text = without_secrets(str(error), dsn)
    for words, said in _AT_THE_DOOR.items():
        if words in text:
            return said
    end = "" if text.endswith((".", "?")) else "."
    return StoreError, f"{text}{end} Look at the address, and whether the server runs."


def _said(error: Error, dsn: str) -> Said | None:
    state = error.sqlstate or ""
    for known in (state, state[:3], state[:2]):
        if known in _BY_STATE:
            return _BY_STATE[known]
    if state == "22023" and READER in str(error):
        return StoreError, f"the role {READER} is missing; {_DOCTOR}"
    if state == "XX000" and error.diag.source_function in _GROWING:
        kind, words = _BY_STATE["53100"]
        return kind, f"{words} The server says: {without_secrets(str(error), dsn)}"
    if state.startswith(_TELLING):
        return StoreError, f"cannot be used: {without_secrets(str(error), dsn)}"
    lost = not state and isinstance(error, OperationalError)
    ended = error.diag.severity_nonlocalized in ("FATAL", "PANIC")  # whatever it was about
    return _LOST if lost or ended else None
