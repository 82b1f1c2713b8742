"""A database's address as it may be shown: without its password, even if it is malformed."""

from typing import Any

HIDDEN = "postgresql://…"
FORM = (
    "an address is postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %XX for what is neither "
    "letter nor digit in the password"
)
_SHOWN = ("host", "port", "dbname", "user")
_SECRET = ("password", "sslpassword", "oauth_client_secret")


def redacted(dsn: str) -> str:
    """User, host and database. An ambiguous address is not shown at all: the password may be
    anywhere in it."""
    parts = _unambiguous(dsn)
    if parts is None:
        return HIDDEN
    host, port, database, user = (parts.get(key) or "" for key in _SHOWN)
    who = f"{user}@" if user else ""
    if host.startswith("/"):
        return f"postgresql://{who}/{database}?host={host}"
    return f"postgresql://{who}{_hosts(host, port)}/{database}"


def without_secrets(text: str, dsn: str) -> str:
    """A message of libpq or the server, in one line; for an ambiguous address, none of it."""
    parts = _unambiguous(dsn)
    if parts is None:
        return f"this does not work; {FORM}"
    for key in _SECRET:
        if parts.get(key):
            text = text.replace(str(parts[key]), "***")
    return " ".join(text.split())


def parse(dsn: str) -> dict[str, Any] | None:
    """As libpq parses it; None if it does not, or if psycopg is not installed."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        return None
    try:
        return dict(conninfo_to_dict(dsn))
    except ProgrammingError:
        return None


def _unambiguous(dsn: str) -> dict[str, Any] | None:
    """None where a password has an unescaped `@` or `/`: libpq then takes pieces of it for another
    part, so that a name has an `@` in it, or a port is no number."""
    parts = parse(dsn)
    if parts is None:
        return None
    names = f"{parts.get('host', '')}{parts.get('dbname', '')}"
    port = str(parts.get("port", "")).replace(",", "")
    return None if "@" in names or port.strip("0123456789") else parts


def _hosts(hosts: str, ports: str) -> str:
    """One host, or several with commas; a single port counts for all."""
    names = hosts.split(",")
    numbers = ports.split(",") if "," in ports else [ports] * len(names)
    pairs = zip(names, numbers, strict=False)
    return ",".join(f"{name}:{number}" if number else name for name, number in pairs)
