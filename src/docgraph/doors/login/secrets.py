"""Secrets of API keys: how they look, and the hash that is kept of them."""

import hashlib
import re
import secrets

# Of the key's id, which is public, and of what only its holder knows.
ID_BYTES, SECRET_BYTES = 6, 32
MARK = "dg_"
_SECRET = re.compile(r"dg_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


def new_secret() -> tuple[str, str]:
    """An id, and the secret that begins with it."""
    key_id = secrets.token_hex(ID_BYTES)
    return key_id, f"{MARK}{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"


def id_in(secret: str) -> str | None:
    """The id of the key that is meant; None if this is no secret of ours."""
    found = _SECRET.fullmatch(secret)
    return found[1] if found else None


def hashed(secret: str) -> bytes:
    """SHA-256 is enough: nobody tries 256 random bits out, so a slow hash would slow us alone."""
    return hashlib.sha256(secret.encode()).digest()
