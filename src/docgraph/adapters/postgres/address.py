"""A database's address as it may be shown: without its password, whatever else is wrong with it."""

from typing import Any

HIDDEN = "postgresql://…"
FORM = (
    "an address is postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %XX for what is neither "
    "letter nor digit in the password"
)
_SHOWN = ("host", "port", "dbname", "user")
_SECRET = ("password", "sslpassword", "oauth_client_secret")


def redacted(dsn: str) -> str:
    """Who asks which database where. What is not certain is not shown at all: the password may be
    anywhere in it."""
    parts = _certain(dsn)
    if parts is None:
        return HIDDEN
    host, port, database, user = (parts.get(key) or "" for key in _SHOWN)
    who = f"{user}@" if user else ""
    if host.startswith("/"):
        return f"postgresql://{who}/{database}?host={host}"
    return f"postgresql://{who}{_places(host, port)}/{database}"


def without_secrets(text: str, dsn: str) -> str:
    """What libpq or the server says, in one line; where the address is not certain, none of it."""
    parts = _certain(dsn)
    if parts is None:
        return f"this does not work; {FORM}"
    for key in _SECRET:
        if parts.get(key):
            text = text.replace(str(parts[key]), "***")
    return " ".join(text.split())


def parsed(dsn: str) -> dict[str, Any] | None:
    """As libpq reads it; None if it does not, or if psycopg is not installed."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        return None
    try:
        return dict(conninfo_to_dict(dsn))
    except ProgrammingError:
        return None


def _certain(dsn: str) -> dict[str, Any] | None:
    """Where a password holds an `@` or a `/` as such, libpq takes pieces of it for something else:
    then a name has an `@` in it, or a port is no number."""
    parts = parsed(dsn)
    if parts is None:
        return None
    names = f"{parts.get('host', '')}{parts.get('dbname', '')}"
    port = str(parts.get("port", "")).replace(",", "")
    return None if "@" in names or port.strip("0123456789") else parts


def _places(hosts: str, ports: str) -> str:
    """One host, or several with commas; one port goes for all."""
    names = hosts.split(",")
    numbers = ports.split(",") if "," in ports else [ports] * len(names)
    pairs = zip(names, numbers, strict=False)
    return ",".join(f"{name}:{number}" if number else name for name, number in pairs)
