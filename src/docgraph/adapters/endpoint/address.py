"""An endpoint's address and key: one spelling for one server, and no key where all can read it."""

from urllib.parse import urlsplit

from docgraph.model.errors import ModelError

PORTS = {"http": 80, "https": 443}


def address(base: str) -> str:
    """Lower-case scheme and host, no slash at the end: one server has one spelling."""
    try:
        parts = urlsplit(base.strip())
        port = parts.port
    except ValueError:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1") from None
    if parts.scheme not in PORTS or not parts.hostname or parts.query or parts.fragment:
        raise ModelError("the endpoint is not an address such as http://host:1234/v1")
    if parts.username is not None or parts.password is not None:
        raise ModelError("the endpoint's address holds a name or password; use the API key")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port in (None, PORTS[parts.scheme]) else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/')}"


def api_key(given: str | None) -> str:
    key = (given or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelError("the API key holds characters that no key has")
    return key
